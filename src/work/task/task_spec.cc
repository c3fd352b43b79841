#include "task/task_spec.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/name.h"
#include "base/text.h"
#include "base/words.h"
#include "yaml/members.h"

namespace orch::task {
namespace {

using Kind = yaml::Value::Kind;

constexpr int64_t kAnyCount = std::numeric_limits<int64_t>::max();
constexpr int kMostLoops = 1'000;
constexpr size_t kMaxTitle = 200;

constexpr base::Words<CallField, 10> kCallFields{{{CallField::kModel, "model"},
                                                  {CallField::kTemperature, "temperature"},
                                                  {CallField::kMaxTokens, "max_tokens"},
                                                  {CallField::kReasoningEffort, "reasoning_effort"},
                                                  {CallField::kCliPath, "cli_path"},
                                                  {CallField::kFlags, "flags"},
                                                  {CallField::kEnv, "env"},
                                                  {CallField::kToolSpecific, "tool_specific"},
                                                  {CallField::kWorkdir, "workdir"},
                                                  {CallField::kUseStdin, "use_stdin"}}};
constexpr base::Words<SandboxKind, 4> kSandboxKinds{{{SandboxKind::kDocker, "docker"},
                                                     {SandboxKind::kPodman, "podman"},
                                                     {SandboxKind::kLandlock, "landlock"},
                                                     {SandboxKind::kNone, "none"}}};
constexpr base::Words<WorkerMode, 3> kModes{{{WorkerMode::kAuto, "auto"},
                                             {WorkerMode::kHeadless, "headless"},
                                             {WorkerMode::kInteractive, "interactive"}}};

// Reads a text that becomes one word of a command line: one line, without control characters.
void word_of_line(yaml::Members& members, std::string_view key, std::string& out) {
  members.text(key, out);
  if (members.ok() && base::printable(out) != out) {
    members.fail(key, "must be one line of printable characters");
  }
}

void read_kind(yaml::Members& members, std::string_view who, std::string& out) {
  members.required_text("kind", out);
  if (members.ok() && !base::is_name(out))
    members.expected("kind", "the name of " + std::string(who));
}

void read_env(yaml::Members& members, std::map<std::string, std::string>& out) {
  members.texts("env", out);
  for (const auto& [variable, value] : out) {
    if (!members.ok()) return;
    const std::string shown = base::printable(variable);
    if (!is_variable_name(variable)) {
      members.fail("env", "\"" + shown + "\" cannot be the name of a variable");
    } else if (is_own_variable(variable)) {
      members.fail("env", shown + " is a variable that orch itself obeys; leave it out");
    } else if (value.find('\0') != std::string::npos) {
      members.fail("env", shown + " holds a NUL byte");
    } else if (value.starts_with("env:") && !is_variable_name(std::string_view(value).substr(4))) {
      members.fail("env", shown + ": after env: comes the name of a variable of orch's");
    }
  }
}

void read_provider(yaml::Members& members, std::string_view who, adapters::ProviderConfig& out) {
  read_kind(members, who, out.kind);
  word_of_line(members, "model", out.model);
  word_of_line(members, "effort", out.effort);
  word_of_line(members, "cli_path", out.cli_path);
  members.texts("flags", out.flags);
  for (const std::string& flag : out.flags) {
    if (flag.find('\0') != std::string::npos) members.fail("flags", "one holds a NUL byte");
  }
  read_env(members, out.extra_env);
  if (const yaml::Value* node = members.find("tool_specific")) {
    if (node->kind != Kind::kMap) return members.expected("tool_specific", "a mapping");
    out.tool_specific = to_json(*node);
  }
}

void read_prd(yaml::Errors& errors, yaml::Members& task, TextOrFile& out) {
  const yaml::Value* node = task.required("prd", "a text, or {file: PATH}");
  if (node == nullptr) return;
  if (node->kind == Kind::kMap) {
    yaml::Members members(errors, *node, "prd");
    members.required_text("file", out.file);
    if (members.ok() && out.file.find('\0') != std::string::npos) members.fail("file", "no path");
  } else if (node->kind == Kind::kText) {
    out.text = node->text;
    if (base::trim(out.text).empty()) task.fail("prd", "must not be empty");
  } else {
    task.expected("prd", "a text, or {file: PATH}");
  }
}

void read_test(yaml::Errors& errors, yaml::Members& task, TestSpec& out) {
  const yaml::Value* node = task.find("test");
  if (node == nullptr) return;
  if (node->kind == Kind::kMap) {
    yaml::Members members(errors, *node, "test");
    members.required_text("command", out.command);
    members.duration("timeout", out.timeout_ms);
  } else if (node->kind == Kind::kText) {
    task.required_text("test", out.command);
  } else {
    task.expected("test", "a command, or {command: TEXT, timeout: 10m}");
  }
  if (out.command.find('\0') != std::string::npos) task.fail("test", "holds a NUL byte");
}

void read_script(yaml::Members& members, MetaSpec& out) {
  const yaml::Value* node = members.find("script");
  if (node == nullptr) {
    if (members.ok() && out.provider.kind == "scripted") {
      members.fail("script",
                   "is missing; kind scripted needs its answers: a list of texts, or the "
                   "path of a file with such a list");
    }
    return;
  }
  if (out.provider.kind != "scripted") return members.fail("script", "goes with kind scripted");
  if (node->kind == Kind::kText) return members.required_text("script", out.script_file);
  members.texts("script", out.script);
}

void read_meta(yaml::Errors& errors, yaml::Members& runner, MetaSpec& out) {
  const yaml::Value* node = runner.required("meta", "who plans, decides and assesses");
  if (node == nullptr) return;
  yaml::Members members(errors, *node, "runner.meta");
  read_provider(members, "a meta-agent, as openai-chat", out.provider);
  word_of_line(members, "base_url", out.base_url);
  members.duration("timeout", out.timeout_ms);
  read_script(members, out);
}

void read_allow(yaml::Members& members, std::set<CallField>& out) {
  if (members.find("allow") == nullptr) return;
  std::vector<std::string> names;
  members.texts("allow", names);
  out.clear();
  for (const std::string& each : names) {
    const std::optional<CallField> field = call_field_named(each);
    if (field) out.insert(*field);
    if (field || each == "prompt") continue;
    std::string known = "prompt";
    for (const auto& [value, word] : kCallFields) known.append(", ").append(word);
    members.fail("allow", "\"" + base::printable(each) +
                              "\" is not a field of a worker call; there are " + known);
  }
}

void read_worker(yaml::Errors& errors, yaml::Members& runner, WorkerSpec& out) {
  const yaml::Value* node = runner.required("worker", "the agent that does the work");
  if (node == nullptr) return;
  yaml::Members members(errors, *node, "runner.worker");
  read_provider(members, "an agent; see orch agents", out.provider);
  members.word("mode", kModes, out.mode);
  members.count("max_loops", 1, kMostLoops, out.max_loops);
  members.duration("timeout", out.timeout_ms);
  read_allow(members, out.allow);
}

// Parses "SOURCE:TARGET" or "SOURCE:TARGET:ro".
std::optional<MountSpec> parse_mount(std::string_view text) {
  MountSpec mount;
  mount.read_only = text.ends_with(":ro");
  if (mount.read_only || text.ends_with(":rw")) text.remove_suffix(3);
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos)
    return {};
  mount.source = text.substr(0, colon);
  mount.target = text.substr(colon + 1);
  const bool absolute = mount.source.starts_with('/') || mount.source.starts_with("~/");
  if (!absolute || !mount.target.starts_with('/') || base::printable(text) != text) return {};
  return mount;
}

bool is_memory(std::string_view text) {
  if (text.empty()) return true;
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  return digits > 0 && digits < 12 && unit.size() <= 1 &&
         (unit.empty() || std::string_view("bkmgBKMG").find(unit) != std::string_view::npos);
}

void read_sandbox_details(yaml::Members& members, SandboxSpec& out) {
  word_of_line(members, "image", out.image);
  word_of_line(members, "network", out.network);
  std::vector<std::string> mounts;
  members.texts("mounts", mounts);
  for (const std::string& text : mounts) {
    const std::optional<MountSpec> mount = parse_mount(text);
    if (!mount) {
      return members.fail("mounts",
                          "expected SOURCE:TARGET or SOURCE:TARGET:ro, both absolute, "
                          "found \"" +
                              base::printable(text) + "\"");
    }
    out.mounts.push_back(*mount);
  }
  members.text("memory", out.memory);
  if (members.ok() && !is_memory(out.memory)) members.expected("memory", "a size like 512m or 2g");
  members.number("cpus", out.cpus);
  members.count("pids", 1, 1 << 22, out.pids);
  if (!members.ok() || out.is_container()) return;
  for (const char* key : {"image", "mounts", "memory", "cpus", "pids"}) {
    if (members.find(key) != nullptr) {
      members.fail(key, "goes with a container; kind is " + std::string(name(out.kind)));
    }
  }
  if (out.kind == SandboxKind::kNone && !out.network.empty()) {
    members.fail("network", "goes with a sandbox; kind is none");
  }
}

void read_sandbox(yaml::Errors& errors, yaml::Members& runner, SandboxSpec& out) {
  const yaml::Value* node = runner.find("sandbox");
  if (node == nullptr) return;
  if (node->kind != Kind::kMap) return runner.word("sandbox", kSandboxKinds, out.kind);
  yaml::Members members(errors, *node, "runner.sandbox");
  members.word("kind", kSandboxKinds, out.kind);
  read_sandbox_details(members, out);
}

void read_runner(yaml::Errors& errors, yaml::Members& task, TaskSpec& out) {
  const yaml::Value* node = task.required("runner", "a mapping with meta and worker");
  if (node == nullptr) return;
  yaml::Members members(errors, *node, "runner");
  read_meta(errors, members, out.meta);
  read_worker(errors, members, out.worker);
  read_sandbox(errors, members, out.sandbox);
}

void read_budget(yaml::Errors& errors, yaml::Members& task, Budget& out) {
  const yaml::Value* node = task.find("budget");
  if (node == nullptr) return;
  yaml::Members members(errors, *node, "budget");
  members.duration("time", out.time_ms);
  members.count("tokens", 1, kAnyCount, out.tokens);
  members.number("cost", out.cost_usd);
  if (members.ok() && members.find("cost") != nullptr && out.cost_usd <= 0) {
    members.expected("cost", "US dollars, more than 0");
  }
}

void read_names(yaml::Members& members, TaskSpec& out) {
  int64_t version = 1;
  members.count("version", 1, 1, version);
  members.required_text("id", out.id);
  if (members.ok() && !base::is_name(out.id, kMaxTaskName)) {
    members.expected("id", "letters, digits, '-' and '_', a letter or digit first, at most " +
                               std::to_string(kMaxTaskName) + " of them");
  }
  word_of_line(members, "title", out.title);
  if (members.ok() && out.title.size() > kMaxTitle) {
    members.fail("title", "is longer than " + std::to_string(kMaxTitle) + " bytes");
  }
  if (out.title.empty()) out.title = out.id;
  members.text("repo", out.repo);
  if (members.ok() && (out.repo.empty() || out.repo.find('\0') != std::string::npos)) {
    members.expected("repo", "the path of a folder");
  }
}

}  // namespace

std::string_view name(CallField field) { return base::word_of(kCallFields, field); }
std::optional<CallField> call_field_named(std::string_view name) {
  return base::value_of(kCallFields, name);
}
std::string_view name(SandboxKind kind) { return base::word_of(kSandboxKinds, kind); }

bool is_variable_name(std::string_view text) {
  const auto letter = [](char c) { return base::is_letter(c) || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&letter](char c) { return letter(c) || base::is_digit(c); });
}

bool is_own_variable(std::string_view name) {
  if (name.starts_with("ORCH_DEMO_")) return false;
  return name.starts_with("ORCH_") || name.starts_with("LD_") || name.starts_with("GLIBC_");
}

bool leads_programs(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames{"PATH", "HOME",   "SHELL",  "ENV",  "BASH_ENV",
                                                    "IFS",  "CDPATH", "TMPDIR", "USER", "LOGNAME"};
  constexpr std::array<std::string_view, 10> kPrefixes{
      "XDG_",      "GIT_",    "TMUX",     "ZELLIJ", "DOCKER_",
      "CONTAINER", "PODMAN_", "BUILDAH_", "SSH_",   "GPG_"};
  return is_own_variable(name) || std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

base::Result<TaskSpec> parse_task_spec(std::string_view text, std::string_view name) {
  base::Result<yaml::Value> document =
      yaml::read_yaml(text, name, {.bytes = kMaxSpecBytes, .depth = 12, .values = 20'000});
  if (!document) return document.error();
  yaml::Errors errors{std::string(name)};
  TaskSpec spec;
  {
    yaml::Members members(errors, *document, "");
    read_names(members, spec);
    read_prd(errors, members, spec.prd);
    read_test(errors, members, spec.test);
    read_runner(errors, members, spec);
    read_budget(errors, members, spec.budget);
  }
  if (errors.first) return *errors.first;
  return spec;
}

base::Result<std::vector<std::string>> parse_script(std::string_view text, std::string_view name) {
  base::Result<yaml::Value> document =
      yaml::read_yaml(text, name, {.bytes = kMaxPrdBytes, .depth = 2, .values = 10'000});
  if (!document) return document.error();
  std::vector<std::string> answers;
  for (const yaml::Value& item : document->items) {
    if (item.kind != Kind::kText) {
      return yaml::yaml_error(name, item.place, "expected a text, found " + describe(item));
    }
    answers.push_back(item.text);
  }
  if (document->kind == Kind::kList) return answers;
  return yaml::yaml_error(name, document->place,
                          "expected a list of texts, found " + describe(*document));
}

}  // namespace orch::task
