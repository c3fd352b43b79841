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
  const Scenario* scenario = nullptr;  // nullptr: --help was asked for
  Pace pace;
  int lag_ms = 0;        // by which all its output comes late
  std::string log;       // empty: none
  std::string session;   // the id under which it keeps what it is told; empty: it does not
  bool resumes = false;  // that is a session of before
  std::string memory;    // the folder where it keeps that
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

base::Result<CommandLine> parse_command_line(std::span<const std::string> args,
                                             const Environment& environment);

std::string help_text();

}  // namespace orch::demo
