#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/exec_plan.h"
#include "base/result.h"

namespace orch::task {

// This leaves room for "-w12" and the like in the names of its runs.
inline constexpr size_t kMaxTaskName = 48;
inline constexpr size_t kMaxSpecBytes = size_t{1} << 20;
inline constexpr size_t kMaxPrdBytes = size_t{8} << 20;

// A text in the task file, or the path of a file that holds the text, as written in the task file.
struct TextOrFile {
  std::string text;
  std::string file;  // "": `text` holds it
  bool operator==(const TextOrFile&) const = default;
};

struct TestSpec {
  std::string command;  // for sh -c; "": there is none
  int64_t timeout_ms = 10 * 60'000;
};

struct MetaSpec {
  adapters::ProviderConfig provider;
  std::string base_url;
  int64_t timeout_ms = 5 * 60'000;  // for one question
  std::vector<std::string> script;  // for kind scripted: its answers in their order
  std::string script_file;          // ... or the file that holds them as a YAML list
};

// With kAuto the worker is headless if its agent can be.
enum class WorkerMode : uint8_t { kAuto, kHeadless, kInteractive };

// The fields of a meta-agent's worker_call that a task file can allow; the prompt is always
// allowed.
enum class CallField : uint8_t {
  kModel,
  kTemperature,
  kMaxTokens,
  kReasoningEffort,
  kCliPath,
  kFlags,
  kEnv,
  kToolSpecific,
  kWorkdir,
  kUseStdin,
};
std::string_view name(CallField field);
std::optional<CallField> call_field_named(std::string_view name);

struct WorkerSpec {
  adapters::ProviderConfig provider;
  WorkerMode mode = WorkerMode::kAuto;
  int max_loops = 10;
  int64_t timeout_ms = 60 * 60'000;  // for one run
  std::set<CallField> allow{CallField::kModel, CallField::kTemperature, CallField::kMaxTokens,
                            CallField::kReasoningEffort};
};

enum class SandboxKind : uint8_t { kDocker, kPodman, kLandlock, kNone };
std::string_view name(SandboxKind kind);

struct MountSpec {
  std::string source;  // absolute, or ~/...
  std::string target;  // absolute, in the container
  bool read_only = false;
  bool operator==(const MountSpec&) const = default;
};

struct SandboxSpec {
  SandboxKind kind = SandboxKind::kDocker;
  std::string image, network;  // "" means the default
  std::vector<MountSpec> mounts;
  std::string memory;  // such as "2g"; "" means the default, as does 0 below
  double cpus = 0;
  int pids = 0;
  bool is_container() const { return kind == SandboxKind::kDocker || kind == SandboxKind::kPodman; }
};

// The limits of the whole task; 0 means no limit.
struct Budget {
  int64_t time_ms = 0;
  int64_t tokens = 0;  // in and out, of meta-agent and worker together
  double cost_usd = 0;
};

// One task, as its file describes it; docs/task.md and docs/task.schema.json explain each field.
struct TaskSpec {
  std::string id, title, repo = ".";
  TextOrFile prd;
  TestSpec test;
  MetaSpec meta;
  WorkerSpec worker;
  SandboxSpec sandbox;
  Budget budget;
};

// Errors are one line: "NAME:LINE:COLUMN: what is wrong, and what is expected".
base::Result<TaskSpec> parse_task_spec(std::string_view text, std::string_view name);

// The answers of a scripted meta-agent from a file: a YAML list of texts.
base::Result<std::vector<std::string>> parse_script(std::string_view text, std::string_view name);

// Whether this can be the name of an environment variable.
bool is_variable_name(std::string_view text);
// Whether this variable would change the behaviour of orch itself or of its dynamic linker, so that
// no worker may get it.
bool is_own_variable(std::string_view name);
// Whether programs that orch starts before it confines the agent would obey this variable, so that
// only the user may set it: PATH, HOME, XDG_CONFIG_HOME, GIT_DIR, ...
bool leads_programs(std::string_view name);

}  // namespace orch::task
