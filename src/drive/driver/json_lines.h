#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/stream_dialect.h"

namespace orch::driver {

// The JSON lines of an agent's own headless mode, read by the rules of its manifest.
class JsonLines final : public StreamDialect {
 public:
  explicit JsonLines(const adapters::HeadlessSpec& spec);  // which must outlive this

  bool takes_several() const override { return !spec_.message.empty(); }
  bool tells(Kind kind) const override;
  std::vector<std::string> resume_words(const std::string& conversation) const override;
  std::string begin(const std::string& conversation, const std::string& text) override;
  std::string message(const std::string& text) override;
  std::vector<StreamItem> read(std::string_view bytes) override { return reader_.read(bytes); }
  std::vector<StreamItem> finish() override { return reader_.finish(); }
  agent::DialogRequest request(const std::string& tool, const std::string& input) const override {
    return tools_.request(tool, input);
  }
  std::vector<agent::DialogRequest> requests(const StreamItem& item) const override {
    return tools_.requests(item.name, item.input);
  }
  std::string answer(const OpenRequest& open) override { return answer_line(spec_, open); }

 private:
  const adapters::HeadlessSpec& spec_;
  StreamReader reader_;
  ToolKinds tools_;
};

}  // namespace orch::driver
