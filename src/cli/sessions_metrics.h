#pragma once

#include <string>
#include <vector>

#include "client/sessions.h"

namespace orch::cli {

// The sessions as gauges in Prometheus' text format: how many there are of each agent and state,
// the longest wait at a dialog in seconds, and the tokens and dollars that the present runs have
// used.
std::string metrics_of(const std::vector<client::SessionView>& sessions);

}  // namespace orch::cli
