#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/headless_spec.h"
#include "event/event.h"

namespace orch::driver {

// One item of a headless agent's output; which fields are set depends on the kind.
struct StreamItem {
  using Kind = adapters::HeadlessSpec::Rule::Kind;
  Kind kind = Kind::kNothing;
  std::string id = {}, name = {}, text = {};
  std::string input = {};  // the input of a tool as compact JSON; "" without one
  int code = 0;            // the HTTP status code; 0 if the agent reports none
  bool delta = false;      // the text continues the words of the item before
  std::optional<event::Usage> usage = {};
  adapters::UsageSpec::Since since = adapters::UsageSpec::Since::kLine;  // where `usage` begins
};

// Reads the JSON lines of an agent by the rules of its manifest. A line that is not a JSON object,
// is nested deeper than base::kMostJsonDepth or is longer than kMaxLineBytes becomes a notice that
// quotes its beginning.
class StreamReader {
 public:
  static constexpr size_t kMaxLineBytes = 32 << 20;

  // `spec` must outlive the reader.
  explicit StreamReader(const adapters::HeadlessSpec& spec) : spec_(&spec) {}

  // The items of the lines that these bytes complete, in order. The bytes may begin and end
  // anywhere in a line.
  std::vector<StreamItem> read(std::string_view bytes);
  // The items of a last line without a line feed, after all bytes were read.
  std::vector<StreamItem> finish();

 private:
  void read_line(std::string_view line, std::vector<StreamItem>& items) const;

  const adapters::HeadlessSpec* spec_;
  std::string begun_;      // the beginning of a line that is not complete yet
  bool too_long_ = false;  // the line is too long, and the rest of it is skipped
};

}  // namespace orch::driver
