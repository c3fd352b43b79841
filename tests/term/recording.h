#pragma once

#include <string>
#include <vector>

#include "term/screen.h"

namespace orch::term {

// A step of an asciicast: output or a change of the size.
struct RecordedStep {
  std::string output;  // empty for a resize
  Size size;           // the new size, for a resize
};
struct Recording {
  std::string name;
  Size size;
  std::vector<RecordedStep> steps;
};

// All .cast files below tests/recordings, or below $ORCH_TERM_RECORDINGS if that is set.
std::vector<Recording> all_recordings();

}  // namespace orch::term
