#include "http/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/text.h"

namespace orch::http {
namespace {

constexpr int64_t kMostSeconds = 366 * 86'400;
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

// Converts "Sun, 06 Nov 1994 08:49:37 GMT" to seconds since 1970.
std::optional<int64_t> date_s(std::string_view text) {
  constexpr std::string_view kForm = "aaa, 00 aaa 0000 00:00:00 GMT";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool is_free = kForm[i] == 'a' || kForm[i] == '0';
    if (!is_free && text[i] != kForm[i]) return std::nullopt;
  }
  const auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  const auto day = number(text.substr(5, 2)), year = number(text.substr(12, 4)),
             hour = number(text.substr(17, 2)), minute = number(text.substr(20, 2)),
             second = number(text.substr(23, 2));
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(static_cast<int>(*year)),
      std::chrono::month(static_cast<unsigned>(month - kMonths.begin() + 1)),
      std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + *hour) * 60 + *minute) * 60 + *second;
}

}  // namespace

std::optional<int64_t> retry_after_ms(std::string_view value, int64_t now_s) {
  const std::string_view text = base::trim(value);
  std::optional<int64_t> seconds = number(text);
  if (!seconds) {
    const std::optional<int64_t> date = date_s(text);
    if (!date) return std::nullopt;
    seconds = *date - now_s;
  }
  return std::clamp<int64_t>(*seconds, 0, kMostSeconds) * 1'000;
}

}  // namespace orch::http
