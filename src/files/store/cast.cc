#include "store/cast.h"

#include <charconv>

namespace orch::store {
namespace {

std::optional<int> parse_size(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (value < 1 || value > kMaxCastSize) return std::nullopt;
  return value;
}

}  // namespace

std::optional<CastSize> parse_cast_size(std::string_view data) {
  const size_t x = data.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  const std::optional<int> cols = parse_size(data.substr(0, x));
  const std::optional<int> rows = parse_size(data.substr(x + 1));
  if (!cols || !rows) return std::nullopt;
  return CastSize{*cols, *rows};
}

}  // namespace orch::store
