#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/job_state.h"

namespace orch::cli {

// The files that could not be copied, and why. Only the first ones are named if there are very
// many.
struct LeftBehind {
  static constexpr size_t kMostNamed = 100;
  struct File {
    std::string path;  // where it is
    std::string why;   // one line
  };
  std::vector<File> named;
  size_t count = 0;
};

// Copies the artifacts of the jobs that are over to <folder>/<issue>, and writes summary.json next
// to them, as orch run does for several issues. Links, pipes and the like, files that cannot be
// copied, and files in very deep folders are left behind; everything else is copied. An error: the
// folder or summary.json cannot be written.
base::Result<LeftBehind> bring_home(const std::string& folder,
                                    const std::vector<engine::Job>& jobs);

}  // namespace orch::cli
