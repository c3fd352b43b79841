#include "store/issue_name.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/name.h"
#include "base/text.h"

namespace orch::store {
namespace {

constexpr std::string_view kRule =
    "use letters, digits, '-' and '_', a letter or digit first, at most 64 of them";

base::Status check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return base::usage_error(fmt::format("the {} name is empty: {}", what, kRule));
  if (base::is_name(name)) return base::Ok{};
  constexpr size_t kShown = 80;
  const std::string shown = base::printable(name.substr(0, kShown));
  return base::usage_error(fmt::format("the {} name '{}{}' is not allowed: {}", what, shown,
                                       name.size() > kShown ? "..." : "", kRule));
}

}  // namespace

base::Status check_issue_name(std::string_view name) { return check_name("issue", name); }
base::Status check_agent_name(std::string_view name) { return check_name("agent", name); }

std::string session_name(std::string_view issue) { return "orch-" + std::string(issue); }

}  // namespace orch::store
