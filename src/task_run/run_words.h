#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "task/task_spec.h"

namespace orch::task_run {

// What holds for all runs of a task.
struct RunPlace {
  std::string program;                     // this binary
  std::string state_dir, repo;             // absolute
  std::string repository;                  // that repo lies in: sessions are named by it
  std::vector<std::string> sandbox_words;  // "--sandbox", "none", ...
  std::string approve = "none";            // none or all
};

// The worker of a task, as the agents' registry knows it.
struct WorkerAgent {
  std::string name;
  bool headless = false;
  std::string model, effort;                      // the defaults; ""
  std::map<std::string, std::string> shorthands;  // of models
};

// One `orch run`: its command line, and the environment that it has beside orch's own. Nothing in
// it is secret, but for the values of `env`.
struct RunWords {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;
};

std::string worker_issue(const std::string& task, int n);  // "<task>-w<n>"
std::string test_issue(const std::string& task, int n);    // "<task>-t<n>"

// The worker's run. `variables` is orch's environment, for values "env:NAME"; one that is missing
// is an error. Of a variable that both set, the call's value holds.
base::Result<RunWords> worker_words(const RunPlace& place, const task::TaskSpec& spec,
                                    const WorkerAgent& agent, const adapters::WorkerCall& call,
                                    int n, const std::string& prompt_file, int64_t timeout_ms,
                                    const std::map<std::string, std::string>& variables);

// The run of the test command.
RunWords test_words(const RunPlace& place, const task::TaskSpec& spec, int n, int64_t timeout_ms);

}  // namespace orch::task_run
