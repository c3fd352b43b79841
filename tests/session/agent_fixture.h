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

// An agent that is part of the binary, with its rules compiled.
struct Agent {
  const adapters::Manifest* manifest = nullptr;
  detect::RuleSet rules;
};
const Agent& agent_named(std::string_view name);

// A recording below tests/recordings, or below $ORCH_SESSION_RECORDINGS when that is set; the name
// of its folder is that of the agent.
struct Recorded {
  std::string name;  // "claude/resize-120x40.cast"
  const Agent* agent = nullptr;
  store::Cast cast;
};
const std::vector<Recorded>& all_recordings();

// What a replay told, as one comparable text a record. Statuses have their time only if wanted:
// where the same output is fed in other pieces nothing may differ, in other gaps the times must.
struct Told {
  std::vector<std::string>
      statuses;  // "1234 working/tool claude/spinner", changes of status or cause
  std::vector<std::string> lines;
};
Told told_by(const Agent& agent, const store::Cast& cast);

}  // namespace orch::session
