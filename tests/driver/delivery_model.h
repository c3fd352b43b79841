#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "detect/rules.h"

namespace orch::driver::model {

// What became of one schedule.
struct Outcome {
  std::vector<std::string> wrong;                              // each a promise that was broken
  int accepted = 0, unconfirmed = 0, refused = 0, exited = 0;  // messages, by their report
  int dialogs = 0;                                             // that the agent opened
  int repeats = 0;  // Enters beyond the first of a message
  int64_t longest_lag_ms = 0;
};

// Senders, a person, an agent with an input box and the lines between them, as `seed` has them:
// what is late, lost or swallowed, which dialogs open, when the agent is restarted. The run's
// machine and the screen driver act upon it in a time that is set, to the end of all messages.
// Promised is: every message is in the agent once or is refused, the report says which, what is
// entered is a message as it was sent, and nothing is typed into a dialog that could be known of.
Outcome play(const adapters::Manifest& manifest, const detect::RuleSet& rules, uint64_t seed);

}  // namespace orch::driver::model
