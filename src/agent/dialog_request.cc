#include "agent/dialog_request.h"

#include <algorithm>
#include <utility>

namespace orch::agent {

std::string_view name(Meaning meaning) {
  switch (meaning) {
    case Meaning::kAllowOnce:
      return "allow once";
    case Meaning::kAllowAlways:
      return "allow always";
    case Meaning::kDeny:
      return "deny";
    case Meaning::kOther:
      break;
  }
  return "other";
}

std::string label(const DialogOption& option) {
  std::string text = option.text;
  if (option.ticked) text.insert(0, *option.ticked ? "[x] " : "[ ] ");
  if (!option.description.empty()) text.append(" - ").append(option.description);
  return text;
}

bool DialogRequest::is_set() const {
  return std::any_of(options.begin(), options.end(),
                     [](const DialogOption& option) { return option.ticked.has_value(); });
}

std::string describe(const DialogRequest& request) {
  std::string out = request.title;
  const auto add = [&out](const std::string& line) {
    if (!out.empty()) out += '\n';
    out += line;
  };
  if (!request.body.empty()) add(request.body);
  for (size_t i = 0; i < request.options.size(); ++i) {
    add((request.cursor == i ? "> " : "  ") + std::to_string(request.first + static_cast<int>(i)) +
        ". " + label(request.options[i]));
  }
  return out;
}

event::Dialog record_of(const DialogRequest& request, std::string answer, std::string by) {
  event::Dialog told{.cause = request.kind,
                     .title = request.title,
                     .body = request.body,
                     .options = {},
                     .answer = std::move(answer),
                     .by = std::move(by),
                     .tool = request.tool,
                     .command = request.likely.empty() ? "" : request.likely.front(),
                     .paths = request.paths,
                     .complete = request.complete};
  for (const DialogOption& option : request.options) told.options.push_back(option.text);
  return told;
}

}  // namespace orch::agent
