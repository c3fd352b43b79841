#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"
#include "sandbox/container_request.h"
#include "sandbox/engine.h"
#include "session/session_setup.h"
#include "setup/sandbox_options.h"

namespace orch::setup {

// A run's container as it is to be: checked, and not begun.
struct ContainerPlan {
  sandbox::Engine engine;
  sandbox::ContainerRequest wanted;
  std::string joined;     // the container of a task; "": the run has one of its own
  std::string state_dir;  // where it is remembered what git keeps for which folder
};

// Whether the words of `orch run` ask for a container.
bool wants_container(const options::RunRequest& request);

// Asks the engine, which takes some 0.1 s. `work` is the folder that the container gets - the
// repository's root - and `cwd`, in it, where the agent runs. What a person should know is added to
// `notes`.
base::Result<ContainerPlan> container_of(const options::RunRequest& request,
                                         const adapters::Manifest& agent, const std::string& cwd,
                                         const std::string& work, const std::string& state_dir,
                                         std::vector<std::string>& notes);

// What the agent gets and is told in a container: it is a sandbox already, and knows no file of
// this machine by its name here.
base::Status suit_container(const ContainerPlan& plan, const adapters::Manifest& agent,
                            adapters::LaunchPlan& launch);

// Has the session's agent work in the container; after its folders are what they stay. An error:
// what git keeps for its worktree is another than it was (fence/work_places.h).
base::Status enclose(const ContainerPlan& plan, session::SessionSetup& session);

}  // namespace orch::setup
