#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pty/process.h"

// Commands that answer questions of orch's: git, docker, tmux, kubectl, ... None is trusted to end,
// or to say no more than a few words.
namespace orch::pty {

// The limits of a command; one that exceeds them is killed.
struct ToolLimits {
  int64_t patience_ms = 5'000;
  size_t bytes = 4 << 20;  // of each of its outputs
};

// How a command has ended.
struct ToolEnd {
  bool ok = false;  // it was started, nothing was too much, and its exit code was 0
  bool timed_out = false, too_long = false;  // it was killed: see ToolLimits
  int code = 0;                              // as a shell reports it: 128+n for signal n
  std::string output, errors;                // the output within the limit
};

// Adds bytes to one of the outputs, up to the limit; false: the command has said too much.
bool add_output(const ToolLimits& limits, std::string_view bytes, std::string& output);

// Why a command that was killed has given no answer, in one line: "docker gave no answer within
// 15 s"; "" if it was not killed.
std::string why_unanswered(std::string_view name, const ToolEnd& end, const ToolLimits& limits);

// Runs a command with an empty input, and waits for it. This blocks, so it is for code that has no
// other work. Errors are those of spawn_child().
base::Result<ToolEnd> run_tool(const std::vector<std::string>& argv,
                               const std::vector<std::string>& env, const ToolLimits& limits,
                               ErrorOutput error_output = ErrorOutput::kSeparate);

}  // namespace orch::pty
