#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "fence/fence.h"
#include "options/run_request.h"
#include "policy/policy.h"
#include "session/agent_fence.h"

namespace orch::setup {

// The other facts that decide whether to raise a fence, and around which folder.
struct FenceCircumstances {
  std::string approve;               // as given to --approve
  std::vector<std::string> command;  // the agent's command line, or the one after --
  std::string work_dir, state_dir, socket_folder;
  std::string launcher;         // this binary
  bool needs_snapshot = false;  // needed to find changes
  bool may_write = false;       // an agent runs that may change files, so a snapshot is wanted
  // The fence that this machine offers; nullptr: find out, which runs bubblewrap.
  const fence::Offer* offer = nullptr;
};

// The fence to raise, perhaps without layers: then the work directory is only saved beforehand.
// nullopt if that is not wanted either. `auto` raises a fence when nobody is asked before the agent
// acts: a policy answers, or the command line makes it ask for nothing. Remarks for the user are
// added to `notes`.
base::Result<std::optional<session::FenceRequest>> sandbox_of(const options::RunRequest& request,
                                                              const FenceCircumstances& place,
                                                              const adapters::Registry& agents,
                                                              std::vector<std::string>& notes);

// What limits an agent's commands besides its policy. `is_fenced`: by orch; `sandbox`: --sandbox.
policy::Held held_by(bool is_fenced, const std::string& sandbox);

// kUsage, with the remedy, if orch's own records would lie in the work directory or in one of its
// git directories, where an agent could change them.
base::Status check_records_place(const std::string& work_dir, const std::string& state_dir);

}  // namespace orch::setup
