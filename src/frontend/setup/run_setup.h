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
#include "setup/batch_folders.h"
#include "setup/container_options.h"
#include "setup/sandbox_options.h"
#include "setup/versions.h"
#include "ui/sinks.h"

namespace orch::setup {

// The sessions to start. They refer to the manifest and the rules in AgentChoice, which must
// outlive them.
struct RunSetup {
  std::vector<session::SessionSetup> sessions;
  ui::OutputMode output = ui::OutputMode::kText;
  size_t jobs = 0;  // how many run at once; 0: all
  std::string socket_folder;
  bool follow_terminal_size = false;
  std::optional<ContainerPlan> container;  // the container that they work in
  Folders folders = Folders::kShared;      // where they work; the worktrees do not exist yet
  std::vector<std::string> notes;          // lines for stderr, such as which agent was chosen
  std::string version_note = {};           // newer_note() of the agent; "" if it is not newer
  // The program to ask for the agent's version, which the sessions lack. The agent is not to wait
  // for the answer: see cli::Run.
  std::optional<Asked> to_ask;
};

// The prompt of --prompt-file, "-" for standard input, which has to end within --timeout.
base::Result<std::string> read_prompt(const options::RunRequest& request);

// Checks everything that can be checked before something is started or written. `choice` is filled
// with the objects that the sessions refer to.
struct AgentChoice {
  adapters::Registry agents;
  const adapters::Manifest* manifest = nullptr;
  std::optional<detect::RuleSet> rules;
  std::shared_ptr<const driver::Speakers> speakers;  // shared by the sessions, as the rules are
};
// `offer` is the fence that this machine offers, if it is known: then the only program that this
// starts is a container engine.
base::Result<RunSetup> prepare_run(const options::RunRequest& request, AgentChoice& choice,
                                   const fence::Offer* offer = nullptr);

}  // namespace orch::setup
