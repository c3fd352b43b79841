#include "store/issue_name.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/name.h"
#include "base/text.h"

namespace orch::store {
namespace {

constexpr std::string_view kRule =
    "use letters, digits, '-' and '_', a letter or digit first, at most 64 of them";

}  // namespace

base::Status check_issue_name(std::string_view name) {
  if (name.empty()) return base::usage_error(fmt::format("the issue name is empty: {}", kRule));
  if (base::is_name(name)) return base::Ok{};
  constexpr size_t kShown = 80;
  const std::string shown = base::printable(name.substr(0, kShown));
  return base::usage_error(fmt::format("the issue name '{}{}' is not allowed: {}", shown,
                                       name.size() > kShown ? "..." : "", kRule));
}

std::string session_name(std::string_view issue) { return "orch-" + std::string(issue); }

}  // namespace orch::store
