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

// An agent CLI that does a piece of a task without a terminal, as its worker or its meta-agent, and
// how the CLI is set up.
struct ProviderConfig {
  std::string kind;                // "codex", "claude-cli", ...: a name or alias in the registry
  std::string cli_path;            // "": the program that the agent's manifest names
  std::string model;               // given to the agent as it is; "": the default
  std::string effort;              // "": the default
  std::vector<std::string> flags;  // more arguments for its command line
  std::map<std::string, std::string> extra_env;     // for "env:NAME" see plan_exec()
  base::Json tool_specific = base::Json::object();  // options for agents of this kind only
};

// One call of a provider's CLI. The ProviderConfig decides about absent members.
struct WorkerCall {
  std::string prompt;
  std::optional<std::string> model;
  std::optional<double> temperature;
  std::optional<int64_t> max_tokens;
  std::optional<std::string> reasoning_effort;
  std::optional<std::string> cli_path;
  std::vector<std::string> flags;  // arguments after those of the ProviderConfig
  std::map<std::string, std::string> env;
  base::Json tool_specific = base::Json::object();
  std::optional<std::string> workdir;  // ExecPlace::workdir or a folder below it
  bool use_stdin = true;  // the prompt comes on standard input, not on the command line
};

// The process to start for a call. No part of it is given to a shell.
struct ExecPlan {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // added to the environment of the place
  std::string workdir;                     // absolute, in the place where the process runs
  std::string input;                       // all of its standard input
};

// The role of the agent in a task, which decides its default model.
enum class Role : uint8_t {
  kWorker,
  kFast,  // a worker for simple work
  kMeta,  // a meta-agent: it only answers, and its tools can do nothing
};
std::string_view name(Role role);  // "worker"
std::optional<Role> role_named(std::string_view word);

// The place where the process runs.
struct ExecPlace {
  enum class Kind : uint8_t { kHost, kContainer };
  Role role = Role::kWorker;
  Kind kind = Kind::kHost;
  std::string workdir;                           // absolute
  std::map<std::string, std::string> variables;  // the variables that "env:NAME" refers to
};

// The longest prompt on a command line, in bytes; Linux takes 128 KiB.
inline constexpr size_t kMostPromptArgument = 100'000;

// Plans and checks one call. If the agent's command line cannot express an option, the result is a
// usage error that names the capability, so that nothing has to be started to find out. The plan
// starts the same process as `orch run --mode headless`, as far as that has the same options.
//
// If a variable is set in several places, the last of these counts: the environment of the place,
// the manifest, ProviderConfig::extra_env, WorkerCall::env. A value "env:NAME" is looked up in
// ExecPlace::variables, and it is an error if NAME is missing there. A value that was looked up
// never appears in the command or its arguments.
//
// tool_specific has two options: `docker_mode` (the agent's own sandbox is off and it asks for no
// permission; the default in a container) and `json_output` (the output is JSON lines; the default
// except for a meta-agent).
base::Result<ExecPlan> plan_exec(const Registry& registry, const ProviderConfig& config,
                                 const WorkerCall& call, const ExecPlace& place);
base::Result<ExecPlan> plan_exec(const Manifest& manifest, const ProviderConfig& config,
                                 const WorkerCall& call, const ExecPlace& place);

}  // namespace orch::adapters
