#include "store/time_text.h"

#include <fmt/format.h>

#include <cstdio>

namespace orch::store {
namespace {

using std::chrono::milliseconds;

struct Civil {
  std::chrono::year_month_day date;
  std::chrono::hh_mm_ss<milliseconds> clock;
};

Civil civil(TimePoint time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  return {std::chrono::year_month_day(day),
          std::chrono::hh_mm_ss<milliseconds>(std::chrono::floor<milliseconds>(time - day))};
}

}  // namespace

std::string rfc3339_utc(TimePoint time) {
  const auto [date, clock] = civil(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<TimePoint> parse_rfc3339_utc(const std::string& text) {
  int year = 0, used = 0;
  unsigned month = 0, day = 0;
  int hours = 0, minutes = 0, seconds = 0, ms = 0;
  const int fields = std::sscanf(text.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d.%3dZ%n", &year, &month,
                                 &day, &hours, &minutes, &seconds, &ms, &used);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (fields != 7 || static_cast<size_t>(used) != text.size() || !date.ok()) return std::nullopt;
  const TimePoint time = std::chrono::sys_days(date) + std::chrono::hours(hours) +
                         std::chrono::minutes(minutes) + std::chrono::seconds(seconds) +
                         milliseconds(ms);
  if (rfc3339_utc(time) != text) return std::nullopt;
  return time;
}

std::string compact_utc(TimePoint time) {
  const auto [date, clock] = civil(time);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string compact_utc_ms(TimePoint time) {
  return compact_utc(time) + fmt::format("{:03}", civil(time).clock.subseconds().count());
}

std::optional<TimePoint> parse_compact_utc(std::string_view text) {
  constexpr size_t kToSeconds = 15;
  const std::string all(text);
  if (all.size() < kToSeconds) return std::nullopt;
  const auto part = [&all](size_t at, size_t size) { return all.substr(at, size); };
  const std::string ms = all.size() > kToSeconds ? all.substr(kToSeconds) : "000";
  return parse_rfc3339_utc(part(0, 4) + "-" + part(4, 2) + "-" + part(6, 5) + ":" + part(11, 2) +
                           ":" + part(13, 2) + "." + ms + "Z");
}

}  // namespace orch::store
