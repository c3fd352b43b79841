#pragma once

#include <string>
#include <vector>

#include "accuracy/recordings.h"
#include "base/result.h"
#include "term/screen.h"

namespace orch::speed {

// The recordings of FOLDER/<agent>, by name.
struct AgentRecordings {
  std::string agent;
  std::vector<store::Cast> casts;
};
base::Result<std::vector<AgentRecordings>> read_recordings(const std::string& folder);

// The agents; "mix"; "plain", lines; "coloured", words; "repaint", a screen in place; "cjk+emoji".
std::vector<std::string> stream_names(const std::vector<AgentRecordings>& agents);

// `bytes` or a little more of the stream. An agent's is what it wrote, over and over: in the
// recordings of this size or, where there are none, in all. The mix has as much of each in turn.
std::string make_stream(const std::string& name, const std::vector<AgentRecordings>& agents,
                        term::Size size, size_t bytes);

}  // namespace orch::speed
