#include "cli/run_request.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "cli/own_programs.h"

namespace orch::cli {
namespace {

using base::usage_error;

std::string_view word_of(run::Until until) {
  switch (until) {
    case run::Until::kComplete:
      return "complete";
    case run::Until::kIdle:
      return "idle";
    case run::Until::kExit:
      return "exit";
  }
  return "";
}

// The values of variables may be secrets, and are not recorded.
base::Status check_environment(const store::RunRecord& record) {
  std::string missing;
  for (const std::string& name : record.request->env) {
    const bool set = std::getenv(name.c_str()) != nullptr;  // NOLINT(concurrency-mt-unsafe)
    if (!set) missing += (missing.empty() ? "" : ", ") + name;
  }
  if (missing.empty()) return base::Ok{};
  return usage_error(
      "run " + record.id + " was given variables that orch does not have now: " + missing +
      "; values are not recorded, so set them: NAME=VALUE orch retry " + record.issue);
}

}  // namespace

store::RunRequest request_of(const RunOptions& options, const std::string& agent, run::Until until,
                             const std::string& task) {
  store::RunRequest request;
  request.task = task;
  request.agent = agent;
  request.model = options.model;
  request.effort = options.effort;
  request.system_prompt = options.system_prompt_file;
  request.until = word_of(until);
  request.keyword = options.keyword;
  request.max_turns = options.max_turns;
  request.max_tokens = options.max_tokens;
  request.max_cost = options.max_cost;
  request.timeout = options.timeout;
  request.idle_timeout = options.idle_timeout;
  request.ask_timeout = options.ask_timeout;
  request.on_limit = options.on_limit;
  request.approve = options.approve;
  request.sandbox = options.sandbox.kind;
  request.network = options.sandbox.network;
  request.write = options.sandbox.write;
  request.read = options.sandbox.read;
  request.snapshot = !options.sandbox.no_snapshot;
  request.image = options.sandbox.image;
  request.container = options.sandbox.container;
  request.mounts = options.sandbox.mounts;
  request.memory = options.sandbox.memory;
  request.cpus = options.sandbox.cpus;
  if (options.sandbox.pids_limit >= 0) request.pids_limit = options.sandbox.pids_limit;
  request.verify = options.verify;
  request.fix_turns = options.fix_turns;
  request.verify_timeout = options.verify_timeout;
  request.require_changes = options.require_changes;
  request.worktree = options.worktree;
  for (const std::string& word : options.env) {
    request.env.push_back(word.substr(0, word.find('=')));
  }
  request.hooks = !options.no_hooks;
  request.trust_agent = options.trust_agent;
  request.record = !options.no_record;
  request.record_limit = options.record_limit;
  request.keep = options.keep;
  request.session_manager = options.session_manager;
  request.mode = options.mode;
  request.size = options.size;
  request.agent_program = options.agent_program;
  request.agent_flags = options.agent_flags;
  request.command = options.command;
  std::error_code failure;
  request.folder = std::filesystem::current_path(failure).string();
  request.cwd = options.cwd;
  request.resume = options.resume;
  return request;
}

base::Result<RunOptions> options_of(const store::RunRecord& record) {
  if (!record.request) {
    return usage_error("run " + record.id +
                       " was recorded without what it was asked for; start it with orch run");
  }
  const store::RunRequest& request = *record.request;
  if (request.system_prompt == "-" || request.approve == "-") {
    return usage_error("run " + record.id +
                       " read a part of its request from standard input; start it with orch run");
  }
  if (request.masked) {
    return usage_error("run " + record.id +
                       " was asked for with a secret in its words, which is not recorded; start it "
                       "with orch run");
  }
  if (base::Status s = check_environment(record); !s) return s.error();
  if (base::Status s = check_links(request.folder); !s) return s.error();
  if (::chdir(request.folder.c_str()) != 0) {
    return base::system_error(
        "go to " + request.folder + ", where run " + record.id + " was started", errno);
  }
  RunOptions options;
  options.issues = {record.issue};
  options.parent = record.id;
  options.prompt = request.task;
  options.agent = request.agent;
  options.model = request.model;
  options.effort = request.effort;
  options.system_prompt_file = request.system_prompt;
  options.until = request.until;
  options.keyword = request.keyword;
  options.max_turns = request.max_turns;
  options.max_tokens = request.max_tokens;
  options.max_cost = request.max_cost;
  options.timeout = request.timeout;
  options.idle_timeout = request.idle_timeout;
  options.ask_timeout = request.ask_timeout;
  options.on_limit = request.on_limit;
  options.approve = request.approve;
  options.sandbox = {request.sandbox,
                     request.network,
                     request.write,
                     request.read,
                     !request.snapshot,
                     request.image,
                     request.container,
                     request.mounts,
                     request.memory,
                     request.cpus,
                     request.pids_limit.value_or(-1)};
  options.verify = request.verify;
  options.fix_turns = request.fix_turns;
  options.verify_timeout = request.verify_timeout;
  options.require_changes = request.require_changes;
  options.worktree = request.worktree;
  options.env = request.env;
  options.no_hooks = !request.hooks;
  options.trust_agent = request.trust_agent;
  options.no_record = !request.record;
  options.record_limit = request.record_limit;
  options.keep = request.keep;
  options.session_manager = request.session_manager;
  if (!request.mode.empty()) options.mode = request.mode;  // older records know no other
  options.size = request.size;
  options.agent_program = request.agent_program;
  options.agent_flags = request.agent_flags;
  options.command = request.command;
  options.cwd = request.cwd;
  options.resume = request.resume;
  return options;
}

}  // namespace orch::cli
