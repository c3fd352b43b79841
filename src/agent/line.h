#pragma once

#include <cstdint>
#include <string>

namespace orch::agent {

// Who says a line of the transcript.
enum class Speaker : uint8_t {
  kAgent,   // the agent's words
  kTool,    // a tool call or its output
  kUser,    // the echo of a message
  kChrome,  // the interface itself: banners, rules, spinners
};

// One settled line of the transcript, without the agent's marker or indentation.
struct Line {
  std::string text;
  Speaker speaker = Speaker::kAgent;
  bool operator==(const Line&) const = default;
};

}  // namespace orch::agent
