#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "task/task_spec.h"

namespace orch::task_run {

// The settings that all runs of a task share.
struct RunPlace {
  std::string program;          // the path of this binary
  std::string state_dir, repo;  // absolute
  // the repository that contains repo; a part of its sessions' names
  std::string repository;
  std::vector<std::string> sandbox_words;            // "--sandbox", "none", ...
  std::string approve = "none";                      // none or all
  std::vector<std::string> test_sandbox_words = {};  // of the tests; empty: as of workers
};

// The worker of a task, from the registry of agents.
struct WorkerAgent {
  std::string name;
  bool headless = false;
  std::string model, effort;                      // the defaults; "" if there are none
  std::map<std::string, std::string> shorthands;  // short names of models, and their full names
};

// One `orch run`: its command line, and the variables of its environment besides orch's own. Only
// the values of `env` may be secret.
struct RunWords {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
};

std::string worker_issue(const std::string& task, int n);  // "<task>-w<n>"
std::string test_issue(const std::string& task, int n);    // "<task>-t<n>"

// The command of a worker run. `variables` is orch's environment, for values "env:NAME"; a missing
// variable is an error. If both the task file and the call set a variable, the call's value is
// used.
base::Result<RunWords> worker_words(const RunPlace& place, const task::TaskSpec& spec,
                                    const WorkerAgent& agent, const adapters::WorkerCall& call,
                                    int n, const std::string& prompt_file, int64_t timeout_ms,
                                    const std::map<std::string, std::string>& variables);

// The command of a run of the tests.
RunWords test_words(const RunPlace& place, const task::TaskSpec& spec, int n, int64_t timeout_ms);

}  // namespace orch::task_run
