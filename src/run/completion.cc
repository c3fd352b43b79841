#include "run/completion.h"

#include "base/text.h"

namespace orch::run {

bool says_complete(const agent::Line& line, std::string_view keyword) {
  if (line.speaker != agent::Speaker::kAgent) return false;
  if (line.text.starts_with(' ')) return false;  // set apart from the words: a quoted block
  std::string_view text = base::trim(line.text);
  for (const std::string_view mark : {"**", "`"}) {
    if (text.size() > 2 * mark.size() && text.starts_with(mark) && text.ends_with(mark)) {
      text = text.substr(mark.size(), text.size() - 2 * mark.size());
    }
  }
  return text == keyword;
}

std::string completion_instruction(std::string_view keyword) {
  return "When all of this is done, and only then, say " + std::string(keyword) +
         " on a line of its own.";
}

std::string continue_message(std::string_view keyword) {
  return "Continue with the task. " + completion_instruction(keyword);
}

}  // namespace orch::run
