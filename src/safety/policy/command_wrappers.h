#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// The command that a wrapper runs. A wrapper is a program that runs another one: sudo, env,
// timeout, xargs, npm exec and the like.
struct Wrapped {
  enum class Kind : uint8_t {
    kNoWrapper,
    kNothing,  // the wrapper has only options
    kCommand,  // `words` are the program and its arguments
    kScript,   // `words` are shell command lines
  };
  Kind kind = Kind::kNoWrapper;
  std::vector<ShellWord> words;
  std::vector<ShellWord> assignments;  // NAME=VALUE, for this command alone
  std::vector<ShellWord> folders;      // the folders where the command runs, if elsewhere
  std::vector<ShellWord> targets;      // files that the wrapper itself writes
  bool understood = true;              // false: the command may do other things than it says
  bool clears = false;                 // the wrapper removes variables from the environment
  bool may_begin_later = false;        // the first of `words` may be the value of an option
  bool appends = false;                // the wrapper appends operands that it reads from its input
};

// The options of xargs, in the form of ProgramOptions.
inline constexpr std::string_view kXargsOptions =
    "-I= -i? -L= -l? -n= -P= -s= -d= -E= -e? -a= -0 -r -t -p -o -x --max-args= --max-procs= "
    "--delimiter= --arg-file= --replace? --max-lines? --eof? --max-chars= --process-slot-var= "
    "--null --no-run-if-empty --verbose --interactive --open-tty --exit";

Wrapped unwrap(std::string_view program, const std::vector<ShellWord>& arguments);

}  // namespace orch::policy
