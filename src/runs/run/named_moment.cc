#include "run/named_moment.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>
#include <vector>

namespace orch::run {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::weekday;
using std::chrono::year_month_day;

constexpr int kMinute = 60;
constexpr int kHour = 60 * kMinute;
constexpr int kDay = 24 * kHour;
constexpr size_t kUnixTimeDigits = 10;  // digits of a Unix time, until the year 2286
constexpr size_t kMaxDigits = 9;        // digits of an amount
constexpr int kMaxParts = 6;            // parts of a duration, from weeks to milliseconds

// ---- durations

struct Unit {
  double seconds;
  std::array<std::string_view, 5> names;
};
constexpr Unit kUnits[] = {
    {0.001, {"ms", "msec", "msecs", "millisecond", "milliseconds"}},
    {1, {"s", "sec", "secs", "second", "seconds"}},
    {kMinute, {"m", "min", "mins", "minute", "minutes"}},
    {kHour, {"h", "hr", "hrs", "hour", "hours"}},
    {kDay, {"d", "day", "days"}},
    {7 * kDay, {"w", "wk", "wks", "week", "weeks"}},
};

std::optional<double> read_unit(WordCursor& words) {
  if (!words.next()) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (std::find(unit.names.begin(), unit.names.end(), words.next()->text) == unit.names.end()) {
      continue;
    }
    words.skip();
    return unit.seconds;
  }
  return std::nullopt;
}

std::optional<double> read_amount(WordCursor& words) {
  if (words.take_one_of({"a", "an"})) return 1.0;
  const std::optional<int64_t> whole = words.take_number(1, kMaxDigits);
  if (!whole) return std::nullopt;
  WordCursor ahead = words;
  if (!ahead.take(".") || !ahead.next()) return static_cast<double>(*whole);
  const double scale = std::pow(10.0, static_cast<double>(ahead.next()->text.size()));
  const std::optional<int64_t> part = ahead.take_number(1, kMaxDigits);
  if (!part) return static_cast<double>(*whole);
  words = ahead;
  return static_cast<double>(*whole) + static_cast<double>(*part) / scale;
}

// ---- times of day, in a zone

struct Clock {
  int second_of_day = 0;
  int grain_s = kMinute;  // the precision of the named time, in seconds
};

// Reads "am" or "pm" and turns `*hour` from the 12-hour clock into the 24-hour clock. False if
// neither follows, or if `*hour` is not on the 12-hour clock.
bool read_meridiem(WordCursor& words, int64_t* hour) {
  WordCursor ahead = words;
  const bool am = ahead.take_one_of({"am", "a"});
  const bool pm = !am && ahead.take_one_of({"pm", "p"});
  if (words.next() && words.next()->text.size() == 1 && (am || pm)) {  // a.m.
    if (!ahead.take(".") || !ahead.take("m")) return false;
    ahead.take(".");
  }
  if ((!am && !pm) || *hour < 1 || *hour > 12) return false;
  *hour = *hour % 12 + (pm ? 12 : 0);
  words = ahead;
  return true;
}

std::optional<Clock> read_clock(WordCursor& words) {
  if (words.take("noon")) return Clock{12 * kHour};
  if (words.take("midnight")) return Clock{0};
  WordCursor ahead = words;
  std::optional<int64_t> hour = ahead.take_number(1, 2);
  if (!hour) return std::nullopt;
  std::optional<int64_t> minute = 0, second = 0;
  Clock clock;
  const bool has_minute = ahead.take(":");
  if (has_minute) {
    minute = ahead.take_number(2, 2);
    if (ahead.take(":")) {
      second = ahead.take_number(2, 2);
      clock.grain_s = 1;
      WordCursor fraction = ahead;
      if (fraction.take(".") && fraction.take_number(1, kMaxDigits)) ahead = fraction;
    }
  }
  if (!minute || !second || *minute > 59 || *second > 59) return std::nullopt;
  if (!read_meridiem(ahead, &*hour) && (!has_minute || *hour > 23)) return std::nullopt;
  clock.second_of_day = static_cast<int>(*hour * kHour + *minute * kMinute + *second);
  words = ahead;
  return clock;
}

// Reads an offset from UTC ("+1", "-05:00", "+0530") and returns seconds; 0 if there is none.
int read_offset(WordCursor& words) {
  WordCursor ahead = words;
  const bool west = ahead.take_one_of({"-", "\u2212"});
  if (!west && !ahead.take("+")) return 0;
  int64_t minutes = 0;
  if (const auto hhmm = ahead.take_number(4, 4)) {
    minutes = *hhmm / 100 * 60 + *hhmm % 100;
  } else if (const auto hours = ahead.take_number(1, 2)) {
    minutes = *hours * 60;
    if (ahead.take(":")) minutes += ahead.take_number(2, 2).value_or(0);
  } else {
    return 0;
  }
  words = ahead;
  return static_cast<int>(west ? -minutes : minutes) * kMinute;
}

// ---- days

struct Day {
  enum class Kind { kNone, kDate, kDateOfYear, kWeekday, kToday, kTomorrow };
  enum class Form { kWords, kIso };
  Kind kind = Kind::kNone;
  Form form = Form::kWords;
  std::chrono::year year{};
  std::chrono::month month{};
  std::chrono::day day{};
  std::chrono::weekday weekday{};
};

// Reads a name or its beginning ("sep", "sept") and returns its index in `names`.
std::optional<unsigned> read_name(WordCursor& words, std::span<const std::string_view> names) {
  if (!words.next() || words.next()->text.size() < 3) return std::nullopt;
  const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
    return name.starts_with(words.next()->text);
  });
  if (found == names.end()) return std::nullopt;
  words.skip();
  return static_cast<unsigned>(found - names.begin());
}

std::optional<unsigned> read_month(WordCursor& words) {
  constexpr std::string_view kMonths[] = {"january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december"};
  const std::optional<unsigned> index = read_name(words, kMonths);
  return index ? std::optional(*index + 1) : std::nullopt;
}

std::optional<unsigned> read_weekday(WordCursor& words) {
  constexpr std::string_view kWeekdays[] = {"sunday",   "monday", "tuesday", "wednesday",
                                            "thursday", "friday", "saturday"};
  return read_name(words, kWeekdays);
}

std::optional<int64_t> read_day_of_month(WordCursor& words) {
  const std::optional<int64_t> day = words.take_number(1, 2);
  if (day) words.take_one_of({"st", "nd", "rd", "th"});
  return day;
}

std::optional<Day> read_iso_date(WordCursor& words) {
  WordCursor ahead = words;
  const std::optional<int64_t> year = ahead.take_number(4, 4);
  if (!year || !ahead.take("-")) return std::nullopt;
  const std::optional<int64_t> month = ahead.take_number(2, 2);
  if (!month || !ahead.take("-")) return std::nullopt;
  const std::optional<int64_t> day = ahead.take_number(2, 2);
  if (!day) return std::nullopt;
  ahead.take("t");
  words = ahead;
  return Day{.kind = Day::Kind::kDate,
             .form = Day::Form::kIso,
             .year = std::chrono::year(static_cast<int>(*year)),
             .month = std::chrono::month(static_cast<unsigned>(*month)),
             .day = std::chrono::day(static_cast<unsigned>(*day))};
}

// Reads a date with or without a year: "Nov 25th, 2026", "25 November".
std::optional<Day> read_date(WordCursor& words) {
  WordCursor ahead = words;
  std::optional<unsigned> month = read_month(ahead);
  const std::optional<int64_t> day = read_day_of_month(ahead);
  if (!month) month = read_month(ahead);
  if (!day || !month) return std::nullopt;
  words = ahead;
  Day result{.kind = Day::Kind::kDateOfYear,
             .month = std::chrono::month(*month),
             .day = std::chrono::day(static_cast<unsigned>(*day))};
  ahead.take(",");
  if (const std::optional<int64_t> year = ahead.take_number(4, 4)) {
    result.kind = Day::Kind::kDate;
    result.year = std::chrono::year(static_cast<int>(*year));
    words = ahead;
  }
  return result;
}

// Reads a day. A weekday before a date adds nothing and is skipped.
Day read_day(WordCursor& words) {
  if (words.take("today")) return {.kind = Day::Kind::kToday};
  if (words.take("tomorrow")) return {.kind = Day::Kind::kTomorrow};
  Day day;
  if (const std::optional<unsigned> index = read_weekday(words)) {
    day.kind = Day::Kind::kWeekday;
    day.weekday = weekday(*index);
  }
  WordCursor ahead = words;
  ahead.take(",");
  std::optional<Day> date = read_iso_date(ahead);
  if (!date) date = read_date(ahead);
  if (!date) return day;
  words = ahead;
  return *date;
}

// ---- moments: a day and a time of day

// The dates that `day` may mean, the earliest first.
std::vector<sys_days> candidates(const Day& day, sys_days today) {
  const auto date = [&](std::chrono::year year) {
    return year_month_day(year, day.month, day.day);
  };
  std::vector<sys_days> result;
  switch (day.kind) {
    case Day::Kind::kNone:
      return {today, today + days(1)};
    case Day::Kind::kDate:
      if (date(day.year).ok()) result = {date(day.year)};
      return result;
    case Day::Kind::kDateOfYear: {
      const std::chrono::year year = year_month_day(today).year();
      for (const year_month_day& candidate : {date(year), date(year + std::chrono::years(1))}) {
        if (candidate.ok()) result.push_back(candidate);
      }
      return result;
    }
    case Day::Kind::kWeekday: {
      const sys_days next = today + (day.weekday - weekday(today));
      return {next, next + days(7)};
    }
    case Day::Kind::kToday:
      return {today};
    case Day::Kind::kTomorrow:
      return {today + days(1)};
  }
  return result;
}

std::optional<int64_t> wait_for(const Day& day, const Clock& clock, sys_seconds now) {
  for (const sys_days& candidate : candidates(day, std::chrono::floor<days>(now))) {
    const int64_t wait = (candidate + seconds(clock.second_of_day) - now).count();
    if (wait > 0) return wait;
    if (wait + clock.grain_s > 0) return wait + clock.grain_s;
  }
  return std::nullopt;
}

// The local time as if it were UTC, so that the arithmetic needs no time zones.
sys_seconds wall_clock(const LocalTime& now) {
  const year_month_day date(std::chrono::year(now.year),
                            std::chrono::month(static_cast<unsigned>(now.month)),
                            std::chrono::day(static_cast<unsigned>(now.day)));
  return sys_days(date) + seconds(now.hour * kHour + now.minute * kMinute + now.second);
}

// Reads a time zone and returns its offset from UTC in seconds; that of the local zone if another
// zone or none is named.
int read_zone(WordCursor& words, const Day& day, int local_offset_s) {
  WordCursor ahead = words;
  ahead.take("(");
  if (ahead.take("etc")) ahead.take("/");
  if (ahead.take_one_of({"utc", "gmt", "z"})) return read_offset(ahead);
  const bool bare = day.form == Day::Form::kIso && words.next() &&
                    (words.next()->text == "+" || words.next()->text == "-");
  return bare ? read_offset(words) : local_offset_s;
}

}  // namespace

std::optional<int64_t> read_duration_s(WordCursor& words) {
  double total = 0;
  int parts = 0;
  for (; parts < kMaxParts; ++parts) {
    WordCursor ahead = words;
    if (parts > 0) {
      ahead.take(",");
      ahead.take("and");
    }
    const std::optional<double> amount = read_amount(ahead);
    const std::optional<double> unit = read_unit(ahead);
    if (!amount || !unit) break;
    total += *amount * *unit;
    words = ahead;
  }
  return parts > 0 ? std::optional(static_cast<int64_t>(std::ceil(total))) : std::nullopt;
}

std::optional<int64_t> read_moment_s(WordCursor& words, const LocalTime& now) {
  const sys_seconds local = wall_clock(now);
  const sys_seconds utc = local - seconds(now.utc_offset_s);
  if (const auto unix_time = words.take_number(kUnixTimeDigits, kUnixTimeDigits)) {
    const int64_t wait = *unix_time - utc.time_since_epoch().count();
    return wait >= 0 ? std::optional(wait) : std::nullopt;
  }
  Day day = read_day(words);
  if (day.kind != Day::Kind::kNone) {
    words.take(",");
    words.take("at");
  }
  const std::optional<Clock> clock = read_clock(words);
  if (clock && day.kind == Day::Kind::kNone) {
    words.take("on");
    day = read_day(words);
  }
  if (!clock && day.kind == Day::Kind::kNone) return std::nullopt;
  const int offset_s = read_zone(words, day, now.utc_offset_s);
  return wait_for(day, clock.value_or(Clock{}), utc + seconds(offset_s));
}

}  // namespace orch::run
