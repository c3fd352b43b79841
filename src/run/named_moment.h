#pragma once

#include <cstdint>
#include <optional>

#include "run/screen_words.h"

namespace orch::run {

// What the wall clock shows, in the local zone. That offset is taken to hold for the days ahead: a
// change to or from summer time in between moves a named moment by its hour.
struct LocalTime {
  int year = 1970;
  int month = 1;  // 1 to 12
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int utc_offset_s = 0;  // east of Greenwich is positive
};

// "3 hours 12 minutes", "5m30s", "34.07s", "28ms", "1 day, 2 hrs and 5 min", "an hour": seconds,
// rounded up. Nothing, and `words` where they were, when they begin with none.
std::optional<int64_t> read_duration_s(WordCursor& words);

// "3pm", "3:30 PM (Europe/Berlin)", "14:05", "noon", "Mar 5, 3pm", "Nov 25th, 2026 9:12 AM", "09:12
// on 25 Nov", "Mon at 9am", "tomorrow", "2026-11-25T09:12:00Z", "1755806400" (Unix time): seconds
// from now until then. Nothing for what is over or never comes.
//  - Without a day it is the next such time of day; without a year the next such date; a day alone
//    is its beginning. What is named to the minute is over when that minute is: in it, the rest of
//    the minute counts.
//  - UTC, GMT and Z with or without an offset are meant. Any other zone is read as the local one:
//    the CLIs write the times of the zone they run in, with its name.
std::optional<int64_t> read_moment_s(WordCursor& words, const LocalTime& now);

}  // namespace orch::run
