#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/registry.h"
#include "detect/rules.h"
#include "event/event.h"
#include "session/replay.h"
#include "store/cast_reader.h"

namespace orch::session {

// An agent of the binary, with its rules compiled.
struct Agent {
  const adapters::Manifest* manifest = nullptr;
  detect::RuleSet rules;
};
const Agent& agent_named(std::string_view name);

// A recording below tests/recordings, or below $ORCH_SESSION_RECORDINGS if that is set. The name of
// its folder is the agent's.
struct Recorded {
  std::string name;  // "claude/resize-120x40.cast"
  const Agent* agent = nullptr;
  store::Cast cast;
};
const std::vector<Recorded>& all_recordings();

// The events of a replay, one comparable text for each. Statuses have their times only on request:
// if the same output comes in other pieces the times must be the same, with other pauses they must
// not.
struct Told {
  std::vector<std::string>
      statuses;  // "1234 working/tool claude/spinner", changes of status or cause
  std::vector<std::string> lines;
};
Told told_by(const Agent& agent, const store::Cast& cast);

}  // namespace orch::session
