#pragma once

#include <optional>
#include <string>

namespace orch::cli {

struct CrewNudgeOptions {
  std::string agent, text, timeout, from;
  bool no_wait = false, json = false;
  std::optional<std::string> state_dir;
};

struct CrewInboxOptions {
  std::string agent, text;
  std::optional<std::string> state_dir;
};

// orch crew nudge and, with `mail`, orch crew send; both functions return the exit code.
int crew_tell(const CrewNudgeOptions& options, bool mail);
int crew_inbox(const CrewInboxOptions& options);

}  // namespace orch::cli
