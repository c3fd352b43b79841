#include "policy/dialog_answer.h"

namespace orch::policy {
namespace {

using agent::Meaning;

std::optional<Meaning> wanted(Answer answer) {
  switch (answer) {
    case Answer::kNone:
      break;
    case Answer::kAllow:
      return Meaning::kAllowOnce;
    case Answer::kDeny:
      return Meaning::kDeny;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<size_t>> options_for(const agent::DialogRequest& request, Answer answer) {
  const std::optional<Meaning> meaning = wanted(answer);
  if (!meaning) return std::nullopt;
  std::optional<std::vector<size_t>> found;
  if (request.is_set()) {
    if (answer == Answer::kDeny) found.emplace();
    return found;
  }
  for (size_t i = 0; i < request.options.size(); ++i) {
    if (request.options[i].meaning != *meaning) continue;
    if (found) return std::nullopt;
    found = {i};
  }
  return found;
}

}  // namespace orch::policy
