#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "fence/fence.h"
#include "options/run_request.h"
#include "session/agent_fence.h"

namespace orch::setup {

// What else decides whether there is a fence, and around what.
struct FenceCircumstances {
  std::string approve;               // as given to --approve
  std::vector<std::string> command;  // the agent's, or what follows --
  std::string work_dir, state_dir, socket_folder;
  std::string launcher;         // this binary
  bool needs_snapshot = false;  // to compare the work directory with, in the end
  // What this machine has on offer; without it bubblewrap is tried.
  const fence::Offer* offer = nullptr;
};

// The fence to raise, perhaps of no layers: then only the work directory is saved beforehand;
// nothing where that is not needed either. `auto` raises one when nobody is asked before the agent
// acts: a policy answers, or the command line makes it ask for nothing. What a person should know
// of it is added to `notes`.
base::Result<std::optional<session::FenceRequest>> sandbox_of(const options::RunRequest& request,
                                                              const FenceCircumstances& place,
                                                              const adapters::Registry& agents,
                                                              std::vector<std::string>& notes);

// kUsage, with the remedy, where orch's own records would lie in the work directory, or in a git
// directory of its: an agent that works there could change them.
base::Status check_records_place(const std::string& work_dir, const std::string& state_dir);

}  // namespace orch::setup
