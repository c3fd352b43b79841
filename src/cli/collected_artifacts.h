#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/job_state.h"

namespace orch::cli {

// What could not be brought home, and why. Of very many only the first are named.
struct LeftBehind {
  static constexpr size_t kMostNamed = 100;
  struct File {
    std::string path;  // where it is
    std::string why;   // one line
  };
  std::vector<File> named;
  size_t count = 0;
};

// Copies the artifacts of the jobs that are over to <folder>/<issue>, and writes summary.json
// beside them, as orch run leaves it for several issues. A file that cannot be copied, and what is
// no file (a link, a pipe), is left behind, and so is what lies very deep; everything else comes.
// An error: the folder or summary.json cannot be written.
base::Result<LeftBehind> bring_home(const std::string& folder,
                                    const std::vector<engine::Job>& jobs);

}  // namespace orch::cli
