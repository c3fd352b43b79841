#pragma once

#include <cstdint>
#include <string_view>

#include "base/words.h"

namespace orch::event {

// Who says a line of the transcript.
enum class Speaker : uint8_t {
  kAgent,   // the agent's words
  kTool,    // a tool call or its output
  kUser,    // the echo of a message
  kNotice,  // the interface speaks of the run: an error, an interruption, an approval
  kChrome,  // the interface itself: banners, rules, spinners; never told
};

inline constexpr base::Words<Speaker, 4> kSpeakers{{{Speaker::kAgent, "agent"},
                                                    {Speaker::kTool, "tool"},
                                                    {Speaker::kUser, "user"},
                                                    {Speaker::kNotice, "notice"}}};

constexpr std::string_view name(Speaker speaker) { return base::word_of(kSpeakers, speaker); }

}  // namespace orch::event
