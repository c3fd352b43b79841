#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/registry.h"
#include "base/json.h"
#include "base/result.h"

namespace orch::adapters {

// Which agent CLI does a piece of work without a terminal, and how it is set up: the worker or the
// meta-agent of a task.
struct ProviderConfig {
  std::string kind;                // "codex", "claude-cli", ...: a name of the registry
  std::string cli_path;            // "": the program that the agent's manifest names
  std::string model;               // given to the agent as it is; "": the default
  std::string effort;              // "": the default
  std::vector<std::string> flags;  // further words of its command line
  std::map<std::string, std::string> extra_env;     // "env:NAME" stands for that variable of ours
  base::Json tool_specific = base::Json::object();  // what only agents of this kind know
};

// One call of it. What is absent is as the ProviderConfig says.
struct WorkerCall {
  std::string prompt;
  std::optional<std::string> model;
  std::optional<double> temperature;
  std::optional<int64_t> max_tokens;
  std::optional<std::string> reasoning_effort;
  std::optional<std::string> cli_path;
  std::vector<std::string> flags;  // behind those of the ProviderConfig
  std::map<std::string, std::string> env;
  base::Json tool_specific = base::Json::object();
  std::optional<std::string> workdir;  // in the place's, or below it
  bool use_stdin = true;  // the prompt comes on standard input, not on the command line
};

// What is run then. Nothing of it is given to a shell.
struct ExecPlan {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // beside the environment of the place where it runs
  std::string workdir;                     // absolute, in that place
  std::string input;                       // all of its standard input
};

// What it is to do, which chooses its default model.
enum class Role : uint8_t {
  kWorker,
  kFast,  // a worker for what is simple
  kMeta,  // it answers, and its tools do nothing
};
std::string_view name(Role role);  // "worker"
std::optional<Role> role_named(std::string_view word);

// Where it runs.
struct ExecPlace {
  enum class Kind : uint8_t { kHost, kContainer };
  Role role = Role::kWorker;
  Kind kind = Kind::kHost;
  std::string workdir;                           // absolute
  std::map<std::string, std::string> variables;  // what "env:NAME" reads
};

// A prompt on a command line is no longer than this; Linux takes 128 KiB.
inline constexpr size_t kMostPromptArgument = 100'000;

// The plan of one call, checked: what the agent has no word for is a usage error that names the
// capability, so that nothing has to be started to find out. It is what `orch run --mode headless`
// starts, as far as that can ask for the same.
//
// Of a variable that several set the last of these holds: the place's own environment, the
// manifest, ProviderConfig::extra_env, WorkerCall::env. A value "env:NAME" is looked up in the
// place's variables; one that is missing is an error. What was looked up never stands in the
// command or its arguments.
//
// tool_specific: `docker_mode` (the agent's own sandbox is off and it asks for nothing; by default
// where it runs in a container), `json_output` (JSON lines; by default unless it is a meta-agent).
base::Result<ExecPlan> plan_exec(const Registry& registry, const ProviderConfig& config,
                                 const WorkerCall& call, const ExecPlace& place);
base::Result<ExecPlan> plan_exec(const Manifest& manifest, const ProviderConfig& config,
                                 const WorkerCall& call, const ExecPlace& place);

}  // namespace orch::adapters
