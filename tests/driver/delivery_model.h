#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "detect/rules.h"

namespace orch::driver::model {

// The result of one schedule.
struct Outcome {
  std::vector<std::string> wrong;                              // one text for each broken promise
  int accepted = 0, unconfirmed = 0, refused = 0, exited = 0;  // how many messages were reported so
  int dialogs = 0;                                             // how many dialogs the agent opened
  int repeats = 0;  // Enters after the first one of a message
  int64_t longest_lag_ms = 0;
};

// Runs a random schedule: senders, a person, an agent with an input box, and the connections
// between them. `seed` decides what is late, lost or ignored, which dialogs open, and when the
// agent is restarted. The run's machine and the screen driver work on it with a simulated clock,
// until all messages are decided. The promises: every message reaches the agent once or is refused,
// and the report says which; what is entered is a message as it was sent; and nothing is typed into
// a dialog that could have been known.
Outcome play(const adapters::Manifest& manifest, const detect::RuleSet& rules, uint64_t seed);

}  // namespace orch::driver::model
