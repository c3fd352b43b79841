#pragma once

#include <optional>
#include <string>
#include <vector>

// The options of `orch run`: what they are called, what they mean, and their values. Pure.
namespace orch::options {

// What a person asks of a run, in the words of the options of `orch run`; run_option.h has an entry
// for each of them. An empty text is an option that was not given, unless its default is another.
struct RunRequest {
  // What the agent is, and what it is told.
  std::vector<std::string> issues;
  std::string agent;
  std::optional<std::string> prompt;
  std::string prompt_file, system_prompt_file, model, effort, mode = "interactive";
  std::string agent_program;             // in place of the one that the agent's manifest names
  std::vector<std::string> agent_flags;  // further words of the agent's command line
  std::vector<std::string> env;          // NAME or NAME=VALUE

  // When the run is over.
  std::string until, keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  std::string max_tokens, max_cost, timeout, idle_timeout, on_limit = "exit";
  std::vector<std::string> verify;  // shell commands that have to succeed
  int fix_turns = 0;
  std::string verify_timeout;
  bool require_changes = false;

  // What the agent may do, and where it is shut in.
  std::string approve = "none", ask_timeout;
  bool trust_agent = false;
  std::string sandbox = "auto";
  std::vector<std::string> write, read;
  std::optional<std::string> network;
  bool snapshot = true;
  std::string image, container;  // one to be made, or one that stands
  std::vector<std::string> mounts;
  std::string memory, cpus;
  std::optional<int> pids_limit;

  // Where the agent works, and what holds its session.
  std::string cwd = ".";
  bool worktree = false;
  std::string session_manager = "native", size;
  bool hooks = true;
  int jobs = 0;  // how many issues at once; 0: all
  bool detach = false;

  // What is shown, and what is kept.
  std::string output = "text", color = "auto";
  bool bell = true;
  std::string notify, artifacts;
  bool record = true;
  std::string record_limit, keep;
  std::optional<std::string> state_dir;

  // What no option says.
  std::vector<std::string> command;  // the words after --
  std::string folder;                // where orch was started: relative paths begin here
  std::string parent;                // the run that this one retries or continues; ""
  std::string resume;                // the agent's own session that the run goes on with; ""
  bool mcp = false;                  // the agent is given orch's MCP server
  bool masked = false;               // a secret in the words was replaced before they were recorded

  bool operator==(const RunRequest&) const = default;
};

}  // namespace orch::options
