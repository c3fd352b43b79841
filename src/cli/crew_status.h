#pragma once

#include <optional>
#include <string>

namespace orch::cli {

struct CrewStatusOptions {
  bool json = false;
  std::optional<std::string> state_dir;
};

// orch crew status: prints a table or JSON; returns the exit code.
int crew_status(const CrewStatusOptions& options);

}  // namespace orch::cli
