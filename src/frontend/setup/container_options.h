#pragma once

#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"
#include "sandbox/container_request.h"
#include "sandbox/engine.h"
#include "session/session_setup.h"

namespace orch::setup {

// A checked plan for a run's container; nothing has been started.
struct ContainerPlan {
  sandbox::Engine engine;
  sandbox::ContainerRequest wanted;
  std::string joined;     // the container of a task; "": the run has one of its own
  bool foreign = false;   // this orch cannot run in there, so calls are only seen in dialogs
  std::string state_dir;  // remembers which git folders belong to which work folder
};

// Whether the options of `orch run` ask for a container.
bool wants_container(const options::RunRequest& request);

// Checks the options and asks the engine, which takes about 0.1 s. `work`, the repository's root,
// is the folder that the container gets; the agent runs in `cwd`, inside of it. Notes for the user
// are added to `notes`.
base::Result<ContainerPlan> container_of(const options::RunRequest& request,
                                         const adapters::Manifest& agent, const std::string& cwd,
                                         const std::string& work, const std::string& state_dir,
                                         std::vector<std::string>& notes);

// Adjusts the launch to a container: adds the variables that log the agent in, and the one that
// marks a sandbox for it. An error if the agent would refuse to start as root there.
base::Status suit_container(const ContainerPlan& plan, const adapters::Manifest& agent,
                            adapters::LaunchPlan& launch);

// Makes the session's agent work in the container. Call it when the session's folders are final. An
// error if git now keeps its files for the work folder in another place than at the first look
// (fence/work_places.h).
base::Status enclose(const ContainerPlan& plan, session::SessionSetup& session);

}  // namespace orch::setup
