#pragma once

#include <string>
#include <vector>

#include "sandbox/container_request.h"

namespace orch::sandbox {

// The places in a container for the needs of the agent's hooks: the folder that a run shows, and
// this orch.
constexpr std::string_view kShownFolder = "/run/orch/calls";
constexpr std::string_view kProgramFolder = "/run/orch/program";

// This orch in a form that a container can run, whatever C library the image has: the program with
// the libraries and the loader that run it here.
struct ProgramFiles {
  std::vector<Mount> mounts;       // read-only, in kProgramFolder
  std::vector<std::string> words;  // the command that runs it there
};
ProgramFiles own_program_files();

}  // namespace orch::sandbox
