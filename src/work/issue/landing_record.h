#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/found.h"
#include "store/run_checks.h"

namespace orch::issue {

// What was landed of an issue, and what its agent was told of the forge's answers: a file of orch's
// own for each issue, which is written before and after each step that others can see.
struct LandingRecord {
  std::string issue, repository;
  std::string forge;    // "github.com/o/r", where the pull request is; "": none
  std::string base;     // the branch that it lands on
  std::string pushing;  // the commit of a push that was begun, and may have arrived; ""
  std::string pushed;   // the commit of the last push that arrived; ""
  std::string gated;    // the commit that passed the gates, and ...
  std::vector<store::GateRun> gates;  // ... these gates
  int64_t pull_request = 0;           // its number; 0: none
  std::string pull_request_state;     // open, closed, merged: at the last look; ""
  std::string url;
  std::string body_sha256;             // of the body that orch wrote
  bool merged = false;                 // it is in the base
  std::string seen_checks;             // of the last look: the commit and the names of its checks
  std::vector<std::string> delivered;  // ids of the remarks and checks that the agent was given
  bool operator==(const LandingRecord&) const = default;
};

// The paths of one issue's files in the state directory. `key` is store::session_key().
struct LandingFiles {
  std::string record, lock, git;
};
LandingFiles landing_files(const std::string& state_dir, const std::string& key);

store::Found<LandingRecord> read_landing(const std::string& path);
// Waits until it is on the disk. Creates the folder.
base::Status write_landing(const std::string& path, const LandingRecord& record);

}  // namespace orch::issue
