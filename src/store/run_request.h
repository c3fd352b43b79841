#pragma once

#include <optional>
#include <string>
#include <vector>

namespace orch::store {

// What a person asked of a run, in the words of the options of `orch run`, with what the
// configuration added to them: enough to ask the same again. Of the agent's environment it has the
// names, never the values. "" is what was not asked for.
struct RunRequest {
  std::string task;  // in the person's own words; "" of a session that only waits for messages
  std::string agent, model, effort;
  std::string system_prompt;  // the file that it came from
  std::string until, keyword;
  int max_turns = 0;
  std::string max_tokens, max_cost;
  std::string timeout, idle_timeout, ask_timeout, on_limit;
  std::string approve;  // the policy: none, all, or a file
  std::string sandbox;
  std::optional<std::string> network;
  std::vector<std::string> write, read;  // what the fence grants beside the work directory
  bool snapshot = true;
  std::string image, container;  // of a container: what it is made of, or one that stood
  std::vector<std::string> mounts;
  std::string memory, cpus;
  std::optional<int> pids_limit;
  std::vector<std::string> verify;  // the gates' commands
  int fix_turns = 0;
  std::string verify_timeout;
  bool require_changes = false, worktree = false;
  std::vector<std::string> env;  // the names of --env
  bool hooks = true, trust_agent = false, record = true;
  std::string record_limit, keep, session_manager, mode, size;
  std::string agent_program;             // in place of the agent's own
  std::vector<std::string> agent_flags;  // further words of its command line
  std::vector<std::string> command;      // after --
  std::string folder;                    // where orch was started: relative paths begin here
  std::string cwd;                       // as it was given
  bool masked = false;                   // a secret of the task or the command is not recorded
  std::string resume;                    // the agent's own session that it goes on with
  bool operator==(const RunRequest&) const = default;
};

}  // namespace orch::store
