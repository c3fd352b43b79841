#include "store/since.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <string>

#include "base/duration.h"
#include "base/text.h"

namespace orch::store {
namespace {

using std::chrono::system_clock;

base::Error no_moment(std::string_view word) {
  return base::usage_error("\"" + base::printable(word) +
                           "\" is not a time; write 12h, 3d, 1w, today, yesterday, 2026-11-27 or "
                           "2026-11-27T18:00");
}

// Midnight of the local day of `now`, or of a day before it.
TimePoint midnight(TimePoint now, int days_before) {
  const std::time_t seconds = system_clock::to_time_t(now);
  std::tm day{};
  ::localtime_r(&seconds, &day);
  day.tm_hour = day.tm_min = day.tm_sec = 0;
  day.tm_mday -= days_before;
  day.tm_isdst = -1;  // that day may have had another offset
  return system_clock::from_time_t(std::mktime(&day));
}

// Weeks ("1w", "2w3d"), also more of them than a duration may have.
std::optional<int64_t> weeks_ms(std::string_view word) {
  constexpr int64_t kWeekMs = int64_t{7} * 24 * 3600 * 1000;
  const size_t unit = word.find('w');
  if (unit == std::string_view::npos || unit == 0 || unit > 4) return std::nullopt;
  int64_t weeks = 0;
  for (const char digit : word.substr(0, unit)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    weeks = weeks * 10 + (digit - '0');
  }
  if (unit + 1 == word.size()) return weeks * kWeekMs;
  const base::Result<int64_t> rest = base::parse_age(word.substr(unit + 1));
  return rest ? std::optional(weeks * kWeekMs + *rest) : std::nullopt;
}

// A date, perhaps with a time of day.
std::optional<TimePoint> date_of(std::string word) {
  const bool is_utc = word.ends_with('Z');
  if (is_utc) word.pop_back();
  for (const char* form : {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"}) {
    std::tm time{};
    const char* end = ::strptime(word.c_str(), form, &time);
    if (end == nullptr || *end != '\0') continue;
    const std::tm written = time;
    time.tm_isdst = -1;
    const std::time_t seconds = is_utc ? ::timegm(&time) : std::mktime(&time);
    // 2026-02-30 would become a day in March.
    if (seconds == -1 || time.tm_mday != written.tm_mday) return std::nullopt;
    return system_clock::from_time_t(seconds);
  }
  return std::nullopt;
}

}  // namespace

base::Result<TimePoint> moment_of(std::string_view word, TimePoint now) {
  if (word == "today") return midnight(now, 0);
  if (word == "yesterday") return midnight(now, 1);
  if (const auto weeks = weeks_ms(word)) return now - std::chrono::milliseconds(*weeks);
  if (const base::Result<int64_t> age = base::parse_age(word)) {
    return now - std::chrono::milliseconds(*age);
  }
  const std::optional<TimePoint> date = date_of(std::string(word));
  if (!date) return no_moment(word);
  if (*date > now) {
    return base::usage_error("\"" + base::printable(word) + "\" is in the future");
  }
  return *date;
}

}  // namespace orch::store
