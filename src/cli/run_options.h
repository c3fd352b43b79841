#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "cli/container_options.h"
#include "cli/sandbox_options.h"
#include "cli/versions.h"
#include "driver/speakers.h"
#include "fence/fence.h"
#include "session/session.h"
#include "ui/color.h"
#include "ui/sinks.h"

namespace orch::cli {

// The words of `orch run` as they were given.
struct RunOptions {
  std::vector<std::string> issues;
  std::string agent, prompt_file, system_prompt_file, model, effort, until, output = "text", size,
                                                                            cwd = ".";
  std::optional<std::string> prompt, state_dir;
  std::string keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  std::string max_tokens, max_cost;  // "": no limit
  std::string timeout, approve = "none", ask_timeout, idle_timeout, on_limit = "exit";
  bool no_hooks = false, detach = false, trust_agent = false;
  bool no_record = false, no_bell = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::string artifacts;  // the folder for them; "" for none
  std::string record_limit, keep, notify, session_manager = "native", mode = "interactive";
  int jobs = 0;
  std::vector<std::string> env;  // NAME or NAME=VALUE
  SandboxOptions sandbox;
  std::vector<std::string> verify;  // commands that have to succeed
  int fix_turns = 0;
  std::string verify_timeout;
  bool require_changes = false, worktree = false;
  std::string agent_program;             // in place of the manifest's; "": that one
  std::vector<std::string> agent_flags;  // further words of the agent's command line
  bool mcp = false;                      // the agent is given orch's MCP server
  std::vector<std::string> command;      // after --
  std::string parent;                    // the run that this one retries or continues
  std::string resume;                    // the agent's own session that it goes on with
  std::set<std::string> given;           // the names of the options that were: "--size"
};

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
base::Result<RunSetup> prepare_run(const RunOptions& options, AgentChoice& choice);
// The same, but no program is started for it, if `offer` has been found out before: nobody is asked
// for the agent's version.
base::Result<RunSetup> plan_run(const RunOptions& options, AgentChoice& choice,
                                const fence::Offer* offer);

// "120x40"
base::Result<term::Size> parse_size(const std::string& text);

}  // namespace orch::cli
