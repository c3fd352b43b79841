// Reports what a test could not check on this machine, so that its success is not taken for more
// than it is.
#pragma once

#include <catch2/catch.hpp>
#include <iostream>
#include <string>

namespace orch {

// `why` is one line. script/test prints these lines, each once, at its end.
inline void say_skipped(const std::string& why) {
  std::cerr << "skipped: \"" << Catch::getResultCapture().getCurrentTestName() << "\": " << why
            << std::endl;
}

}  // namespace orch
