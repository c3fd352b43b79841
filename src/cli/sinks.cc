#include "cli/sinks.h"

#include <utility>

#include "base/text.h"

namespace orch::cli {
namespace {

class TextSink final : public session::SessionSink {
 public:
  TextSink(OutputStream& out, std::string label) : out_(out), label_(std::move(label)) {}
  void on_event(const event::Event& event, std::string_view) override {
    const auto* line = std::get_if<event::Output>(&event);
    if (line == nullptr) return;
    out_.write((label_.empty() ? "" : label_ + " | ") + base::printable(line->text) + "\n");
  }
  void on_raw(std::string_view) override {}

 private:
  OutputStream& out_;
  std::string label_;
};

class JsonSink final : public session::SessionSink {
 public:
  explicit JsonSink(OutputStream& out) : out_(out) {}
  void on_event(const event::Event&, std::string_view json) override {
    out_.write(std::string(json).append("\n"));
  }
  void on_raw(std::string_view) override {}

 private:
  OutputStream& out_;
};

class RawSink final : public session::SessionSink {
 public:
  explicit RawSink(OutputStream& out) : out_(out) {}
  void on_event(const event::Event&, std::string_view) override {}
  void on_raw(std::string_view bytes) override { out_.write(std::string(bytes)); }

 private:
  OutputStream& out_;
};

class QuietSink final : public session::SessionSink {
 public:
  void on_event(const event::Event&, std::string_view) override {}
  void on_raw(std::string_view) override {}
};

}  // namespace

std::unique_ptr<session::SessionSink> make_sink(OutputMode mode, OutputStream& out,
                                                std::string label) {
  switch (mode) {
    case OutputMode::kText:
      return std::make_unique<TextSink>(out, std::move(label));
    case OutputMode::kRaw:
      return std::make_unique<RawSink>(out);
    case OutputMode::kJson:
      return std::make_unique<JsonSink>(out);
    case OutputMode::kQuiet:
      return std::make_unique<QuietSink>();
  }
  return nullptr;
}

}  // namespace orch::cli
