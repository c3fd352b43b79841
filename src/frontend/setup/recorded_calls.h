#pragma once

#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"
#include "driver/recorded_call.h"

namespace orch::setup {

// The calls and dialogs of the run in that folder, with the decisions about them, in order. The
// manifest, which may be nullptr, says what the agent's tools do. An error: events.jsonl cannot be
// read.
base::Result<std::vector<driver::RecordedCall>> calls_of(const std::string& folder,
                                                         const adapters::Manifest* manifest);

// A decision in words: "denied by denylist:publish", "asked (policy:none)".
std::string decision_text(const std::string& decided, const std::string& by);

// The decision about a call on one line: "denied by denylist:publish, 2 ms  Bash: npm publish".
std::string decided_line(const event::Tool& tool);

// A call's action on one line, without control characters and secrets, cut if it is long.
std::string what_text(const driver::RecordedCall& call);

}  // namespace orch::setup
