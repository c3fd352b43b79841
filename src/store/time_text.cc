#include "store/time_text.h"

#include <fmt/format.h>

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

std::string compact_utc(TimePoint time) {
  const auto [date, clock] = civil(time);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace orch::store
