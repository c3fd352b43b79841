#pragma once

#include <cstdint>
#include <string_view>

#include "base/words.h"

namespace orch::event {

// The speaker of a line of the transcript.
enum class Speaker : uint8_t {
  kAgent,   // the agent's own words
  kTool,    // a tool call or its output
  kUser,    // the echo of a message to the agent
  kNotice,  // the interface reports on the run: an error, an interruption, an approval
  kChrome,  // the interface itself: banners, rules, spinners; never in an event
};

inline constexpr base::Words<Speaker, 4> kSpeakers{{{Speaker::kAgent, "agent"},
                                                    {Speaker::kTool, "tool"},
                                                    {Speaker::kUser, "user"},
                                                    {Speaker::kNotice, "notice"}}};

constexpr std::string_view name(Speaker speaker) { return base::word_of(kSpeakers, speaker); }

}  // namespace orch::event
