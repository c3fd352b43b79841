#pragma once

#include <string_view>

#include "term/parser.h"
#include "term/terminal.h"

namespace orch::term {

// A parser and the terminal that it writes to. Both are compiled twice: for every machine, and for
// machines with AVX2. The variants do the same; feed() takes the fastest that this machine can run.
struct Engine {
  explicit Engine(Size size) : terminal(size), parser(terminal) {}
  void feed(std::string_view bytes);
  void feed_portable(std::string_view bytes);
  void feed_avx2(std::string_view bytes);  // only where has_avx2()

  Terminal terminal;
  Parser<Terminal> parser;
};

}  // namespace orch::term
