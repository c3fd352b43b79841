#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::cli {

// `-d`: the rest of this command in a process of its own, out of reach of this terminal.
//
// fork_background() returns twice: in the background process (session leader, standard input from
// /dev/null) a Background; in the foreground never, it exits with the code that ready() is given,
// or with 125 when the background process dies before that. To be called before a Loop is made.
class Background {
 public:
  static base::Result<Background> fork_background();

  // Everything has started (code 0) or nothing has: the foreground command exits. From then on
  // standard output is /dev/null and standard error the file `log`, or /dev/null when it is empty.
  void ready(int code, const std::string& log);

 private:
  explicit Background(base::Fd foreground) : foreground_(std::move(foreground)) {}
  base::Fd foreground_;
};

}  // namespace orch::cli
