#pragma once

#include <string>

#include "event/speaker.h"

namespace orch::agent {

using event::Speaker;

// One settled line of the transcript (the agent will not redraw it any more), without the agent's
// marker and indentation.
struct Line {
  std::string text;
  Speaker speaker = Speaker::kAgent;
  // The line may continue the previous one, which had no room for the first word of this one.
  bool continues = false;
  bool gap = false;  // not a line: lines that stood here scrolled away before they could be seen
  bool operator==(const Line&) const = default;
};

}  // namespace orch::agent
