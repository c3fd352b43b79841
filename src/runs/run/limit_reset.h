#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "run/named_moment.h"

namespace orch::run {

// When a limit ends.
struct LimitReset {
  enum class Kind : uint8_t {
    kMoment,    // the agent named a time on the wall clock: "resets 3am"
    kDuration,  // the agent named a duration: "try again in 5m"
  };
  int64_t seconds = 0;  // from when the text was read
  Kind kind = Kind::kMoment;
  bool operator==(const LimitReset&) const = default;
};

// Reads from the screen when a limit of the model's provider ends: "limit reached ∙ resets 3pm",
// "Please try again in 1h2m", "Retry-After: 120". The result may be 0 seconds ("Retry-After: 0").
// If the screen names several times, the last one counts; a date that has passed is skipped.
// nullopt if no time is named, or if it is more than 8 days away.
//
// The text is the screen's rows joined by LF; a phrase may go on in the next row. Two kinds of
// phrases do not count: an agent that retries by itself ("Retrying in 4s"), and the warning of a
// limit that is not reached yet ("You've used 91% of your limit · resets 3pm").
//
// The text must be read when the limit is reached: "3pm", read at 15:01, means tomorrow.
std::optional<LimitReset> wait_until_reset(std::string_view screen_text, const LocalTime& now);

// How many seconds to wait for a limit if no time is named: a minute at first, then twice as long
// each time, at most an hour.
int64_t growing_delay_s(int waits_before);

}  // namespace orch::run
