#pragma once

#include <string>
#include <vector>

#include "term/screen.h"

namespace orch::term {

// What an asciicast says happened to the screen: output and changes of size, in order.
struct RecordedStep {
  std::string output;  // empty for a resize
  Size size;           // of a resize
};
struct Recording {
  std::string name;
  Size size;
  std::vector<RecordedStep> steps;
};

// Every .cast below tests/recordings, or below $ORCH_TERM_RECORDINGS when that is set.
std::vector<Recording> all_recordings();

}  // namespace orch::term
