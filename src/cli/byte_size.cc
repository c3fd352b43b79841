#include "cli/byte_size.h"

#include <charconv>
#include <limits>
#include <string>

namespace orch::cli {

base::Result<int64_t> parse_size_in_bytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMG";
  const base::Error error =
      base::usage_error("\"" + std::string(text) + "\" is no size; write 64K, 256M or 2G");
  int64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (failure != std::errc() || number <= 0 || unit.size() > 1) return error;
  if (unit.empty()) return number;
  const size_t power = kUnits.find(unit.front());
  if (power == std::string_view::npos) return error;
  const int64_t factor = int64_t{1} << (10 * (power + 1));
  if (number > std::numeric_limits<int64_t>::max() / factor) return error;
  return number * factor;
}

}  // namespace orch::cli
