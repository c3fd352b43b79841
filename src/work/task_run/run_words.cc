#include "task_run/run_words.h"

#include "base/text.h"

namespace orch::task_run {
namespace {

constexpr std::string_view kOwn = "env:";

void add(RunWords& words, const std::string& option, const std::string& value) {
  if (value.empty()) return;
  words.argv.push_back(option + "=" + value);  // with "=" a value can begin with a dash
}

RunWords begin(const RunPlace& place, const std::vector<std::string>& sandbox_words,
               const std::string& issue, int64_t timeout_ms) {
  RunWords words;
  words.argv = {place.program, "run", issue};
  add(words, "--output", "json");
  add(words, "--state-dir", place.state_dir);
  add(words, "--timeout", std::to_string(timeout_ms) + "ms");
  words.argv.insert(words.argv.end(), sandbox_words.begin(), sandbox_words.end());
  words.argv.emplace_back("--no-bell");
  return words;
}

// Variables reach the agent through the environment of `orch run`, which does not obey them itself
// (session/environment.h). Its command line has only their names, because everybody can see the
// values on a command line.
base::Status add_variables(const std::map<std::string, std::string>& wanted,
                           const std::map<std::string, std::string>& variables, RunWords& words) {
  for (const auto& [name, value] : wanted) {
    if (!value.starts_with(kOwn)) {
      words.env.insert_or_assign(name, value);
      continue;
    }
    const std::string source = value.substr(kOwn.size());
    const auto found = variables.find(source);
    if (found == variables.end()) {
      return base::usage_error("runner.worker.env: " + name + " is to be $" +
                               base::printable(source) + ", which orch does not have");
    }
    words.env.insert_or_assign(name, found->second);
  }
  return base::Ok{};
}

}  // namespace

std::string worker_issue(const std::string& task, int n) { return task + "-w" + std::to_string(n); }
std::string test_issue(const std::string& task, int n) { return task + "-t" + std::to_string(n); }

base::Result<RunWords> worker_words(const RunPlace& place, const task::TaskSpec& spec,
                                    const WorkerAgent& agent, const adapters::WorkerCall& call,
                                    int n, const std::string& prompt_file, int64_t timeout_ms,
                                    const std::map<std::string, std::string>& variables) {
  const adapters::ProviderConfig& config = spec.worker.provider;
  RunWords words = begin(place, place.sandbox_words, worker_issue(spec.id, n), timeout_ms);
  add(words, "--agent", agent.name);
  add(words, "--mode", agent.headless ? "headless" : "interactive");
  add(words, "--until", "idle");
  add(words, "--approve", place.approve);
  add(words, "--prompt-file", prompt_file);
  add(words, "--cwd", place.repo + (call.workdir ? "/" + *call.workdir : ""));
  words.argv.emplace_back("--require-changes");
  add(words, "--on-limit", "wait");
  std::string model = call.model.value_or(config.model.empty() ? agent.model : config.model);
  if (const auto whole = agent.shorthands.find(model); whole != agent.shorthands.end()) {
    model = whole->second;
  }
  add(words, "--model", model);
  add(words, "--effort",
      call.reasoning_effort.value_or(config.effort.empty() ? agent.effort : config.effort));
  add(words, "--agent-program", call.cli_path.value_or(config.cli_path));
  for (const auto* flags : {&config.flags, &call.flags}) {
    for (const std::string& flag : *flags) words.argv.push_back("--agent-flag=" + flag);
  }
  if (base::Status s = add_variables(config.extra_env, variables, words); !s) return s.error();
  for (const auto& [name, value] : call.env) words.env.insert_or_assign(name, value);
  for (const auto& [name, value] : words.env) words.argv.push_back("--env=" + name);
  return words;
}

RunWords test_words(const RunPlace& place, const task::TaskSpec& spec, int n, int64_t timeout_ms) {
  const auto& sandbox =
      place.test_sandbox_words.empty() ? place.sandbox_words : place.test_sandbox_words;
  RunWords words = begin(place, sandbox, test_issue(spec.id, n), timeout_ms);
  add(words, "--cwd", place.repo);
  for (const char* word : {"--", "sh", "-c"}) words.argv.emplace_back(word);
  words.argv.push_back(spec.test.command);
  return words;
}

}  // namespace orch::task_run
