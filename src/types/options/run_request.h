#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

// The options of `orch run`: their names, meanings and values. Pure.
namespace orch::options {

// The request for a run: the values of the options of `orch run` as they were written; run_option.h
// has an entry for each of them. An empty text means that the option was not given, unless it has
// another default.
struct RunRequest {
  // The agent and its task.
  std::vector<std::string> issues;
  std::string comments = "members";  // whose comments on an issue the agent gets
  std::string agent;
  std::optional<std::string> prompt;
  std::string prompt_file, system_prompt_file, model, effort, mode = "interactive";
  std::string agent_program;             // replaces the program that the agent's manifest names
  std::vector<std::string> agent_flags;  // further words of the agent's command line
  std::vector<std::string> env;          // NAME or NAME=VALUE
  std::string mcp_config;                // a file that names MCP servers for the agent
  std::string gateway;                   // auto, or the model's address; "": none
  std::string record_wire, replay_wire;  // tapes; "": none
  bool replay_loose = false;
  std::string keys;  // agent (the same as ""), outside, outside:NAME

  // The end of the run.
  std::string until, keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  std::string max_tokens, max_cost, timeout, idle_timeout, on_limit = "exit";
  std::vector<std::string> fallback;  // agents that go on at a limit: "codex", "claude:opus"
  std::vector<std::string> verify;    // shell commands that have to succeed
  int fix_turns = 0;
  std::string verify_timeout;
  std::string gate_lock;      // gates of runs with this name run one at a time
  std::string output_schema;  // a file: the last words are JSON that fits it
  bool require_changes = false;

  // The agent's permissions and its sandbox.
  std::string approve = "none", ask_timeout, calls_unread = "end";
  bool check_calls = false;
  bool trust_agent = false;
  std::string sandbox = "auto";
  std::vector<std::string> write, read;
  std::optional<std::string> network;
  bool snapshot = true;
  std::string image, container;  // an image to make a container of, or a container that exists
  std::vector<std::string> mounts;
  std::string memory, cpus;
  std::optional<int> pids_limit;

  // The agent's folder, and the manager of its session.
  std::string cwd = ".";
  bool worktree = false;
  bool shared_folder = false;  // several issues work in one folder
  std::string session_manager = "native", size;
  bool hooks = true;
  std::optional<int> jobs;  // how many issues at once; absent: all
  bool detach = false;

  // Output and records.
  std::string output = "text", color = "auto", live = "auto";
  bool bell = true;
  bool keep_keyword = false;
  std::string notify, artifacts;
  bool record = true;
  std::string record_limit, keep;
  std::optional<std::string> state_dir;

  // Set by other means than options.
  std::vector<std::string> command;  // the words after --
  std::string folder;  // the folder that orch was started in, which relative paths refer to
  std::string parent;  // the run that this one retries or continues; ""
  std::map<std::string, std::string> parents;  // the same by issue, where several continue
  std::string resume;                          // the agent's own session that the run continues; ""
  // The prompts of issues whose texts a forge has, and that repository ("host/owner/name").
  std::map<std::string, std::string> issue_texts;
  std::string issue_repository;
  bool mcp = false;     // the agent gets orch's MCP server
  bool masked = false;  // a secret in the texts was masked before they were recorded

  bool operator==(const RunRequest&) const = default;
};

}  // namespace orch::options
