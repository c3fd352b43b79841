#pragma once

#include <cstdint>
#include <optional>

#include "run/screen_words.h"

namespace orch::run {

// The time on the wall clock in the local time zone. The zone's offset is assumed to stay the same,
// so a change to or from summer time makes a later time wrong by an hour.
struct LocalTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int utc_offset_s = 0;  // east of Greenwich is positive
};

// Reads a duration: "3 hours 12 minutes", "5m30s", "34.07s", "28ms", "1 day, 2 hrs and 5 min", "an
// hour". Returns seconds, rounded up. If the words do not begin with a duration, it returns nullopt
// and leaves `words` as they are.
std::optional<int64_t> read_duration_s(WordCursor& words);

// Reads a moment: "3pm", "3:30 PM (Europe/Berlin)", "14:05", "noon", "Mar 5, 3pm", "Nov 25th, 2026
// 9:12 AM", "09:12 on 25 Nov", "Mon at 9am", "tomorrow", "2026-11-25T09:12:00Z", "1755806400" (Unix
// time). Returns the seconds from now until then; nullopt for a moment that has passed or that does
// not exist.
//  - Without a day it is the next time of day like that; without a year, the next date like that;
//    without a time, the beginning of the day. A moment that is named to the minute lasts for that
//    minute: during it, the result is the rest of the minute.
//  - UTC, GMT and Z, with or without an offset, are understood. Any other zone is read as the local
//    one, because the CLIs write times in the zone that they run in, with its name.
std::optional<int64_t> read_moment_s(WordCursor& words, const LocalTime& now);

}  // namespace orch::run
