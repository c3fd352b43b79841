#pragma once

#include <string>

#include "event/speaker.h"

namespace orch::agent {

using event::Speaker;

// One settled line of the transcript, without the agent's marker or indentation.
struct Line {
  std::string text;
  Speaker speaker = Speaker::kAgent;
  // It may go on from the line before: its first word had no room there.
  bool continues = false;
  bool gap = false;  // no line: what stood here scrolled away before it could be seen
  bool operator==(const Line&) const = default;
};

}  // namespace orch::agent
