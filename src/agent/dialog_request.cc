#include "agent/dialog_request.h"

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

std::string describe(const DialogRequest& request) {
  std::string out = request.title;
  const auto add = [&out](const std::string& line) {
    if (!out.empty()) out += '\n';
    out += line;
  };
  if (!request.body.empty()) add(request.body);
  for (size_t i = 0; i < request.options.size(); ++i) {
    add((request.cursor == i ? "> " : "  ") + std::to_string(i + 1) + ". " +
        request.options[i].text);
  }
  return out;
}

}  // namespace orch::agent
