#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/headless_spec.h"
#include "base/pattern.h"
#include "driver/json_way.h"
#include "event/event.h"

namespace orch::driver {

// Something that a headless agent told.
struct StreamItem {
  using Kind = adapters::HeadlessSpec::Rule::Kind;
  Kind kind = Kind::kNothing;
  std::string id, name, text;
  std::string input;  // of a tool, as compact JSON; "" where there is none
  int code = 0;       // of HTTP; 0: none was told
  bool delta = false;
  std::optional<event::Usage> usage;
  adapters::UsageSpec::Since since = adapters::UsageSpec::Since::kLine;  // what it counts
};

// Reads an agent's JSON lines as its manifest says. What is no JSON object, is nested deeper than
// kMaxJsonDepth or longer than kMaxLineBytes is told as a notice that quotes its beginning.
class StreamReader {
 public:
  static constexpr size_t kMaxLineBytes = 32 << 20;

  explicit StreamReader(const adapters::HeadlessSpec& spec) : spec_(&spec) {}  // outlives this

  // What the bytes complete, in order. They may begin and end anywhere.
  std::vector<StreamItem> read(std::string_view bytes);
  std::vector<StreamItem> finish();  // no more will come: a last line without its line feed

 private:
  void read_line(std::string_view line, std::vector<StreamItem>& items) const;

  const adapters::HeadlessSpec* spec_;
  std::string begun_;      // of a line
  bool too_long_ = false;  // the rest of the line is passed over
};

}  // namespace orch::driver
