#include "client/answers.h"

#include "agent/dialog_request.h"

namespace orch::client {

using wire::DialogReport;

std::vector<std::string> answers_to(const DialogReport& dialog) {
  agent::DialogRequest request;
  request.complete = dialog.complete;
  if (!dialog.options.empty()) request.first = dialog.options.front().number;
  for (const DialogReport::Option& option : dialog.options) {
    const auto meaning = agent::meaning_named(option.meaning).value_or(agent::Meaning::kOther);
    request.options.push_back({.text = option.text, .meaning = meaning, .ticked = option.ticked});
  }
  return agent::answers_to(request);
}

std::string word_for(const store::SessionRecord& session, const Place& place) {
  return is_here(place, session.repository, session.cwd) ? session.issue : session.key;
}

}  // namespace orch::client
