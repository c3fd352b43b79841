#include "event/question.h"

#include <string_view>

#include "base/text.h"

namespace orch::event {

// Looks for the last row that ends with a question mark, because there may be a hint below it.
std::string question_of(const Dialog& dialog) {
  std::string_view question = dialog.title;
  for (const std::string_view line : base::split_lines(dialog.body)) {
    if (base::trim(line).ends_with('?')) question = base::trim(line);
  }
  return base::printable(question.empty() ? name(dialog.cause) : question);
}

}  // namespace orch::event
