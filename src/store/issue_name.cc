#include "store/issue_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace orch::store {
namespace {

constexpr size_t kMaxName = 64;
constexpr std::string_view kRule =
    "use letters, digits, '-' and '_', a letter or digit first, at most 64 of them";

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

base::Status check_name(std::string_view what, std::string_view name) {
  if (name.empty()) return base::usage_error(fmt::format("the {} name is empty: {}", what, kRule));
  const bool fits = name.size() <= kMaxName && is_letter_or_digit(name.front()) &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return is_letter_or_digit(c) || c == '-' || c == '_';
                    });
  if (fits) return base::Ok{};
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
