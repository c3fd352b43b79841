#include "client/answers.h"

#include <algorithm>
#include <string_view>

#include "agent/dialog_request.h"

namespace orch::client {

using wire::DialogReport;

std::vector<std::string> answers_to(const DialogReport& dialog) {
  std::vector<std::string> answers;
  const auto add_meaning = [&](std::string_view word, agent::Meaning meaning) {
    const auto means = [meaning](const DialogReport::Option& option) {
      return option.meaning == agent::name(meaning);
    };
    if (!dialog.complete || dialog.is_set()) return;
    if (std::count_if(dialog.options.begin(), dialog.options.end(), means) != 1) return;
    answers.emplace_back(word);
  };
  add_meaning("yes", agent::Meaning::kAllowOnce);
  add_meaning("no", agent::Meaning::kDeny);
  if (dialog.complete && dialog.is_set()) answers.emplace_back("no");
  for (const DialogReport::Option& option : dialog.options) {
    answers.push_back(std::to_string(option.number));
  }
  return answers;
}

std::string word_for(const store::SessionRecord& session, const Place& place) {
  return is_here(place, session.repository, session.cwd) ? session.issue : session.key;
}

}  // namespace orch::client
