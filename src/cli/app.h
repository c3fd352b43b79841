#pragma once

namespace orch::cli {

// The whole program: reads the command line, runs the command and returns the exit code.
int run_app(int argc, char** argv);

}  // namespace orch::cli
