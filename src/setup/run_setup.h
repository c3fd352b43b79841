#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "driver/speakers.h"
#include "fence/fence.h"
#include "options/run_request.h"
#include "session/session.h"
#include "setup/container_options.h"
#include "setup/sandbox_options.h"
#include "setup/versions.h"
#include "ui/sinks.h"

namespace orch::setup {

// What is to be started. The registry's manifests and the rules must outlive the sessions.
struct RunSetup {
  std::vector<session::SessionSetup> sessions;
  ui::OutputMode output = ui::OutputMode::kText;
  size_t jobs = 0;  // 0: all at once
  std::string socket_folder;
  bool follow_terminal_size = false;
  std::optional<ContainerPlan> container;  // in which they are to work
  std::vector<std::string> notes;          // lines for stderr: which agent was chosen, and the like
  std::optional<Asked> to_ask;             // for the agent's version, which the sessions lack
};

// Checks everything that can be checked before something is started or written. `agents` and
// `rules` are filled for the sessions to refer to.
struct AgentChoice {
  adapters::Registry agents;
  const adapters::Manifest* manifest = nullptr;
  std::optional<detect::RuleSet> rules;
  std::shared_ptr<const driver::Speakers> speakers;  // shared by the sessions, as the rules are
};
base::Result<RunSetup> prepare_run(const options::RunRequest& request, AgentChoice& choice);
// The same, but no program is started for it, if `offer` has been found out before: nobody is asked
// for the agent's version.
base::Result<RunSetup> plan_run(const options::RunRequest& request, AgentChoice& choice,
                                const fence::Offer* offer);

}  // namespace orch::setup
