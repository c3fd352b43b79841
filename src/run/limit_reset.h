#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "run/named_moment.h"

namespace orch::run {

// So many seconds from when it was read.
struct LimitReset {
  enum class Kind : uint8_t {
    kMoment,    // on people's clocks: "resets 3am"
    kDuration,  // "try again in 5m"
  };
  int64_t seconds = 0;
  Kind kind = Kind::kMoment;
  bool operator==(const LimitReset&) const = default;
};

// When a limit of the model's provider ends, by what the screen says of it: "limit reached ∙ resets
// 3pm", "Please try again in 1h2m", "Retry-After: 120". 0 seconds when it is over. Where
// several moments are named, the last on the screen counts. Nothing when none is, or none to
// believe: one that is over, or more than 8 days away.
//
// The text is the screen's rows joined by LF; a phrase may go on in the next row. Two kinds of
// phrase do not count: that of an agent which is itself "Retrying in 4s", and the warning of a
// limit not reached ("You've used 91% of your limit · resets 3pm").
//
// Read it when the limit is reached: "3pm", read at 15:01, is tomorrow's.
std::optional<LimitReset> wait_until_reset(std::string_view screen_text, const LocalTime& now);

// How long to wait where no moment is named: a minute at first, then twice the wait before, at most
// an hour.
int64_t growing_delay_s(int waits_before);

}  // namespace orch::run
