#include "base/duration.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace orch::base {
namespace {

constexpr int64_t kLongest = int64_t{365} * 24 * 3600 * 1000;

// Removes the unit at the front of `text` and returns its factor; 0 if there is none.
int64_t take_unit(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, int64_t>, 6> kUnits{{{"ms", 1},
                                                                        {"s", 1000},
                                                                        {"m", 60'000},
                                                                        {"h", 3'600'000},
                                                                        {"d", 86'400'000},
                                                                        {"w", 604'800'000}}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.starts_with(unit)) continue;
    text.remove_prefix(unit.size());
    return factor;
  }
  return 0;
}

Result<int64_t> parse(std::string_view text, int64_t least) {
  const Error error =
      usage_error("\"" + std::string(text) + "\" is not a duration; write 90s, 10m or 2h");
  if (!text.empty() && text.find_first_not_of("0123456789") == text.npos && text != "0") {
    const std::string number(text);
    return usage_error("\"" + number + "\" has no unit; write " + number + "s, " + number +
                       "m or " + number + "h");
  }
  int64_t total = 0;
  std::string_view rest = text;
  if (rest.empty()) return error;
  while (!rest.empty()) {
    int64_t number = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (failure != std::errc() || number < 0) return error;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    const bool bare = rest.empty() && total == 0;
    const int64_t factor = bare ? 1000 : take_unit(rest);
    if (factor == 0 || number > kLongest / factor) return error;
    total += number * factor;
  }
  if (total < least || total > kLongest) return error;
  return total;
}

}  // namespace

Result<int64_t> parse_duration(std::string_view text) { return parse(text, 1); }

Result<int64_t> parse_age(std::string_view text) { return parse(text, 0); }

}  // namespace orch::base
