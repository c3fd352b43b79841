#pragma once

#include <string>
#include <vector>

#include "accuracy/recordings.h"
#include "base/result.h"
#include "term/screen.h"

namespace orch::speed {

// The recordings in FOLDER/<agent>, sorted by name.
struct AgentRecordings {
  std::string agent;
  std::vector<store::Cast> casts;
};
base::Result<std::vector<AgentRecordings>> read_recordings(const std::string& folder);

// The agents' names, and "mix", "plain" (lines), "coloured" (words), "repaint" (a screen drawn in
// place), "cjk+emoji".
std::vector<std::string> stream_names(const std::vector<AgentRecordings>& agents);

// Makes `bytes` of a stream, or a little more. An agent's stream repeats its output in the
// recordings of this size, or in all of them if none has this size. The mix takes the agents in
// turn, as much of each.
std::string make_stream(const std::string& name, const std::vector<AgentRecordings>& agents,
                        term::Size size, size_t bytes);

}  // namespace orch::speed
