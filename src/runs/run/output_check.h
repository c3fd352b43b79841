#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/line.h"
#include "agent/news.h"
#include "base/json_schema.h"

// --output-schema: the agent's last words are a JSON value that fits a schema. Pure.
namespace orch::run {

inline constexpr size_t kMostWords = size_t{1} << 20;  // bytes of them that are kept, the last ones

// The words of the turn after its last tool: the agent's own record has them as they were written,
// otherwise the lines of the transcript do.
class LastWords {
 public:
  void on_line(const agent::Line& line);  // the echo of a message begins a turn
  void on_record(const agent::Recorded& recorded);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool is_recorded_ = false;
};

// The JSON value at the end of the words, before the keyword: all of them, the last fenced block,
// or the value that some line begins; or why there is none that fits.
struct FoundOutput {
  std::string json;     // on one line; "" if there is none
  std::string trouble;  // "" if there is one
};
FoundOutput find_output(std::string_view words, std::string_view keyword,
                        const base::JsonSchema& schema);

// What such a check is called among the gates of a run.
inline constexpr std::string_view kOutputCheck = "--output-schema";

// The part of the first prompt that asks for the value.
std::string output_instruction(const base::JsonSchema& schema);

}  // namespace orch::run
