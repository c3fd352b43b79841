#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "demo/player.h"
#include "demo/scenarios.h"

namespace orch::demo {

struct CommandLine {
  const Scenario* scenario = nullptr;  // nullptr: --help was given
  Pace pace;
  int lag_ms = 0;        // how late all output comes
  std::string log;       // path of the log; "" for none
  std::string session;   // the id under which it keeps its messages; "": it keeps none
  bool resumes = false;  // the session was begun before
  std::string memory;    // the folder for sessions
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

base::Result<CommandLine> parse_command_line(std::span<const std::string> args,
                                             const Environment& environment);

std::string help_text();

}  // namespace orch::demo
