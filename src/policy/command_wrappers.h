#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// What a program that runs another one is told to run: sudo, env, timeout, xargs, npm exec and the
// like.
struct Wrapped {
  enum class Kind : uint8_t {
    kNoWrapper,
    kNothing,  // options alone
    kCommand,  // `words` are the program and its arguments
    kScript,   // `words` are shell command lines
  };
  Kind kind = Kind::kNoWrapper;
  std::vector<ShellWord> words;
  std::vector<ShellWord> assignments;  // NAME=VALUE for it alone
  std::vector<ShellWord> folders;      // where it is run, if elsewhere
  std::vector<ShellWord> targets;      // files that the wrapper writes itself
  bool understood = true;              // false: the command runs in another way than it says
  bool clears = false;                 // variables of the environment are taken from it
  bool may_begin_later = false;        // the first of `words` may be the value of an option
  bool appends = false;                // operands follow that come from the input
};

// As ProgramOptions has them.
inline constexpr std::string_view kXargsOptions =
    "-I= -i? -L= -l? -n= -P= -s= -d= -E= -e? -a= -0 -r -t -p -o -x --max-args= --max-procs= "
    "--delimiter= --arg-file= --replace? --max-lines? --eof? --max-chars= --process-slot-var= "
    "--null --no-run-if-empty --verbose --interactive --open-tty --exit";

Wrapped unwrap(std::string_view program, const std::vector<ShellWord>& arguments);

}  // namespace orch::policy
