#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::cli {

// `-d`: runs the rest of a command in a background process, which does not depend on the terminal.
//
// fork_background() forks and returns in the background process only, which is a session leader
// with /dev/null as standard input. The foreground process waits in it and exits with the code that
// ready() is given, or with 125 if the background process dies before. Call it before a Loop is
// made.
class Background {
 public:
  static base::Result<Background> fork_background();

  // Call it when everything has started (code 0) or could not be started: the foreground command
  // exits with the code. From then on standard output is /dev/null, and standard error is the file
  // `log`, or /dev/null if that is empty.
  void ready(int code, const std::string& log);

 private:
  explicit Background(base::Fd foreground) : foreground_(std::move(foreground)) {}
  base::Fd foreground_;
};

}  // namespace orch::cli
