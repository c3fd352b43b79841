#include "setup/task_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "adapters/capabilities.h"
#include "base/name.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/text.h"
#include "fence/fence.h"
#include "fence/grant.h"
#include "fence/landlock.h"
#include "meta/make_provider.h"
#include "session/agent_fence.h"
#include "session/environment.h"
#include "setup/agents.h"
#include "setup/container_options.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "setup/sandbox_options.h"
#include "setup/spec_file.h"
#include "store/file_io.h"
#include "task/trust_needs.h"
#include "task_run/container_place.h"
#include "task_run/host_place.h"

namespace orch::setup {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

std::map<std::string, std::string> own_variables() {
  std::map<std::string, std::string> variables;
  for (const std::string& entry : session::own_environment()) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos) {
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  return variables;
}

// Reads a file that a task file names. It must lie in the task file's folder or below, without a
// link on the way: agents may write links, and the content is given to an agent.
Result<std::string> read_beside(const std::string& task_file, const std::string& path) {
  std::string folder = std::filesystem::path(task_file).parent_path().string();
  if (folder.empty()) folder = ".";  // also for standard input
  const Result<fence::Grant> root = fence::grant(folder, {});
  const Result<fence::Grant> file = root ? fence::grant_beneath(*root, path) : root;
  if (!file) return file.error();
  return store::read_regular_file(file->path, task::kMaxPrdBytes);
}

// Reads the files that the task file names.
Result<task_run::TaskTexts> read_texts(const std::string& file, const SpecFile& read) {
  task_run::TaskTexts texts;
  texts.spec = read.text;
  Result<task::TaskSpec> spec =
      task::parse_task_spec(texts.spec, file == "-" ? "standard input" : file);
  if (!spec) return spec.error();
  texts.prd = spec->prd.text;
  if (!spec->prd.file.empty()) {
    Result<std::string> prd = read_beside(file, spec->prd.file);
    if (!prd) return usage_error("prd: " + prd.error().text);
    texts.prd = std::move(prd).value();
  }
  if (const auto bad = base::invalid_utf8_at(texts.prd)) {
    return usage_error("prd: not valid UTF-8 at byte " + std::to_string(*bad));
  }
  if (base::trim(texts.prd).empty()) return usage_error("prd: is empty");
  if (spec->meta.script_file.empty()) return texts;
  Result<std::string> script = read_beside(file, spec->meta.script_file);
  if (!script) return usage_error("runner.meta.script: " + script.error().text);
  texts.script = std::move(script).value();
  return texts;
}

Result<task_run::WorkerAgent> worker_agent(const task::TaskSpec& task,
                                           const adapters::Registry& agents) {
  const task::WorkerSpec& spec = task.worker;
  const adapters::Manifest* manifest = agents.find_kind(spec.provider.kind);
  if (const std::string why = agents.why_disabled(spec.provider.kind); !why.empty()) {
    return usage_error("runner.worker.kind: agent " + spec.provider.kind +
                       " cannot be used: " + why);
  }
  if (manifest == nullptr) {
    return usage_error("runner.worker.kind: there is no agent " + spec.provider.kind +
                       "; known are " + agents.names());
  }
  if (!manifest->idle_known) {
    return usage_error("runner.worker.kind: agent " + manifest->name + " takes no prompt");
  }
  if (!task.sandbox.is_container() && spec.provider.cli_path.empty() && !is_installed(*manifest)) {
    return base::Error{base::ErrorCode::kNotFound,
                       "runner.worker.kind: agent " + manifest->name +
                           " is not installed; see orch doctor, or name its program by cli_path"};
  }
  task_run::WorkerAgent agent;
  agent.name = manifest->name;
  const Status can = adapters::require(*manifest, adapters::Capability::kNonInteractive);
  if (spec.mode == task::WorkerMode::kHeadless && !can) return can.error();
  agent.headless = spec.mode != task::WorkerMode::kInteractive && can.ok();
  if (const auto model = manifest->task.models.find("worker");
      model != manifest->task.models.end()) {
    agent.model = model->second;
  }
  agent.effort = manifest->task.effort;
  agent.shorthands = manifest->task.shorthands;
  return agent;
}

// The sandbox of the task file as options of `orch run`.
options::RunRequest container_words(const task::SandboxSpec& sandbox) {
  options::RunRequest request;
  request.sandbox = name(sandbox.kind);
  request.image = sandbox.image;
  if (!sandbox.network.empty()) request.network = sandbox.network;
  for (const task::MountSpec& mount : sandbox.mounts) {
    std::string source = mount.source;
    if (source.starts_with("~/")) source.replace(0, 1, environment("HOME"));
    request.mounts.push_back(source + ":" + mount.target + (mount.read_only ? ":ro" : ""));
  }
  request.memory = sandbox.memory;
  if (sandbox.cpus > 0) request.cpus = fmt::format("{}", sandbox.cpus);
  if (sandbox.pids > 0) request.pids_limit = sandbox.pids;
  return request;
}

// Sets the place of the task's runs, checked as far as possible before anything is started.
Status set_place(const adapters::Manifest& worker, PreparedTask& task) {
  task_run::TaskSetup& setup = task.setup;
  const task::SandboxSpec& sandbox = setup.spec.sandbox;
  if (!sandbox.is_container()) {
    std::vector<std::string> words{"--sandbox", std::string(name(sandbox.kind))};
    if (!sandbox.network.empty()) words.push_back("--net=" + sandbox.network);
    setup.make_place = [words](loop::Loop& loop) {
      return std::make_unique<task_run::HostPlace>(loop, words);
    };
    return base::Ok{};
  }
  const std::string& repo = setup.place.repo;
  Result<ContainerPlan> plan = container_of(container_words(sandbox), worker, repo,
                                            repository_of(repo), setup.place.state_dir, task.notes);
  if (!plan) return base::Error{plan.error().code, "runner.sandbox: " + plan.error().text};
  setup.make_place = [plan = *plan, id = setup.spec.id](loop::Loop& loop) {
    return std::make_unique<task_run::ContainerPlace>(loop, plan.engine, plan.wanted, id);
  };
  return base::Ok{};
}

// Refuses a budget for an agent that does not report its usage: it could not be enforced.
Status check_budget(const adapters::Manifest& worker, PreparedTask& task) {
  const task::TaskSpec& spec = task.setup.spec;
  const auto place =
      task.setup.agent.headless ? adapters::Place::kHeadless : adapters::Place::kTerminal;
  const bool inside = spec.sandbox.is_container() && !task.setup.agent.headless;
  const auto refuse = [&worker](const std::string& field, const std::string& what) {
    return usage_error(field + ": the worker, " + worker.name + ", does not report " + what +
                       " as it is run here; leave the budget out, or see orch agents");
  };
  if (spec.budget.tokens > 0 && (inside || !adapters::tells_usage(worker, place))) {
    return refuse("budget.tokens", "what its turns take");
  }
  if (spec.budget.cost_usd > 0 && (inside || !adapters::tells_cost(worker, place))) {
    return refuse("budget.cost", "what its turns cost");
  }
  const std::string& meta = spec.meta.provider.kind;
  const bool tells_tokens = meta == "openai-chat" || meta == "scripted";
  if (spec.budget.tokens > 0 && !tells_tokens) {
    task.notes.push_back("budget.tokens counts the worker alone: " + meta + " reports no tokens");
  }
  if (spec.budget.cost_usd > 0 && meta != "scripted") {
    task.notes.push_back("budget.cost counts the worker alone: " + meta + " reports no cost");
  }
  return base::Ok{};
}

// The line in the task's folder that records who vouched for the file.
std::string author_line(const SpecFile& file) {
  return std::string(name(file.author)) + " " + file.sha256 + "\n";
}

// The facts that decide how far a task file is obeyed.
struct Circumstances {
  const TaskOptions& options;
  const std::function<void(const UntrustedTask&)>& on_untrusted;
  SpecFile& file;
  // Sets file.author, once it is known where agents are going to work.
  std::function<Status()> find_author;
};

// Whether the task's folder is the one where orch was started, or below it.
bool is_here(const std::string& folder) {
  const Result<std::string> here = resolve_folder(".");
  return here && base::is_within(folder, *here);
}

// An agent that is a part of orch (the demo agent) does nothing to the machine, so it may go
// without a sandbox; the tests of an untrusted task file may not.
Status shut_tests_in(PreparedTask& task) {
  task.setup.place.test_sandbox_words = {"--sandbox", "landlock"};
  if (task.setup.spec.test.command.empty() || fence::landlock_version() > 0) return base::Ok{};
  return usage_error(
      "test: the task file is not trusted, so its tests run in a fence, which this "
      "machine does not have (orch doctor): trust it, or leave the tests out");
}

// Checks that the file sets nothing that it may not set.
Status check_trust(const Circumstances& given, const adapters::Registry& agents,
                   PreparedTask& task) {
  const task::TaskSpec& spec = task.setup.spec;
  distrust_folder(task.setup.place.repo);
  if (Status s = given.find_author(); !s) return s;
  if (given.file.is_obeyed()) return base::Ok{};
  std::vector<std::string> fields = task::fields_that_need_trust(spec);
  const bool begins = given.options.resume.empty();  // otherwise its folder was approved before
  if (begins && !is_here(task.setup.place.repo)) fields.emplace_back("repo");
  const adapters::Manifest* worker = agents.find_kind(spec.worker.provider.kind);
  const bool is_own =
      worker != nullptr && !worker->program.empty() && worker->program.front() == kSelf;
  if (is_own && std::erase(fields, task::kNoSandbox) > 0) {
    if (Status s = shut_tests_in(task); !s) return s;
  }
  if (fields.empty()) return base::Ok{};
  given.on_untrusted({spec.id, given.file.name, given.file.sha256, fields});
  return not_obeyed(given.file, fields);
}

// The fence around a meta-agent that is a program; nullopt if this machine offers none and the user
// has said that the task may do without.
Result<std::optional<session::FenceRequest>> meta_fence(const fence::Offer& offer,
                                                        const std::string& launcher,
                                                        bool may_go_without) {
  std::optional<session::FenceRequest> wanted;
  if (offer.refused) return usage_error(offer.no_namespaces);
  if (!offer.any()) {
    if (may_go_without) return wanted;
    return usage_error(
        "a meta-agent that is a program runs in a fence, and this machine has none (" +
        to_text(offer) +
        "): choose kind openai-chat, or write sandbox: none in a "
        "task file that is trusted");
  }
  wanted.emplace();
  wanted->offer = offer;
  wanted->snapshot = session::FenceRequest::Snapshot::kNone;
  wanted->launcher = launcher;
  return wanted;
}

Result<std::vector<std::string>> script_of(const task::MetaSpec& meta,
                                           const task_run::TaskTexts& texts) {
  if (meta.script_file.empty()) return meta.script;
  return task::parse_script(texts.script, meta.script_file);
}

// Sets the provider of the meta-agent's answers, and makes one now to find out whether that works.
Status set_provider(const Circumstances& given, const task_run::TaskTexts& texts,
                    const adapters::Registry& agents, PreparedTask& task) {
  const task::MetaSpec& spec = task.setup.spec.meta;
  Result<std::vector<std::string>> script = script_of(spec, texts);
  if (!script) return script.error();
  meta::ProviderSetup setup;
  setup.provider = spec.provider;
  setup.base_url = given.options.meta_url.empty() ? spec.base_url : given.options.meta_url;
  setup.is_users_url =
      !given.options.meta_url.empty() || given.file.author == SpecFile::Author::kUser;
  setup.timeout_ms = spec.timeout_ms;
  setup.answers = std::move(script).value();
  setup.state_dir = task.setup.place.state_dir;
  const bool may_go_without =
      given.file.is_obeyed() && task.setup.spec.sandbox.kind == task::SandboxKind::kNone;
  setup.fence = [may_go_without, offer = std::make_shared<std::optional<fence::Offer>>(),
                 launcher = task.setup.place.program]() {
    if (!*offer) *offer = fence::find_offer();
    return meta_fence(**offer, launcher, may_go_without);
  };
  const auto registry = std::make_shared<adapters::Registry>(agents);
  const auto make = [setup, registry, variables = task.setup.variables](loop::Loop& loop,
                                                                        size_t answered) {
    meta::ProviderSetup from = setup;
    const size_t gone = std::min(answered, from.answers.size());
    from.answers.erase(from.answers.begin(), from.answers.begin() + static_cast<long>(gone));
    return meta::make_provider(from, *registry, variables, loop);
  };
  {
    loop::Loop loop;
    const Result<meta::MadeProvider> made = make(loop, 0);
    if (!made) return usage_error("runner.meta: " + made.error().text);
    if (!made->note.empty()) task.notes.push_back(made->note);
  }
  task.setup.make_provider = [make](loop::Loop& loop,
                                    size_t answered) -> Result<std::unique_ptr<meta::Provider>> {
    Result<meta::MadeProvider> made = make(loop, answered);
    if (!made) return made.error();
    return std::move(made->provider);
  };
  return base::Ok{};
}

// Checks and sets up everything but the task's folder.
Status set_up(const Circumstances& given, const task_run::TaskTexts& texts,
              const std::string& state_dir, const std::string& repo, PreparedTask& task) {
  const TaskOptions& options = given.options;
  task_run::TaskSetup& setup = task.setup;
  if (!options.meta_url.empty()) {
    if (setup.spec.meta.provider.kind != "openai-chat") {
      return usage_error("--meta-url goes with a meta-agent of kind openai-chat");
    }
    setup.spec.meta.base_url.clear();
  }
  Result<std::string> folder = resolve_folder(repo);
  if (!folder) return usage_error("repo: " + folder.error().text);
  setup.place.repo = std::move(folder).value();
  setup.place.repository = repository_of(setup.place.repo);
  setup.place.state_dir = state_dir;
  Result<std::string> self = own_path();
  if (!self) return self.error();
  setup.place.program = std::move(self).value();
  setup.prd = texts.prd;
  setup.variables = own_variables();
  const bool shut_in = setup.spec.sandbox.kind != task::SandboxKind::kNone;
  setup.place.approve = shut_in ? "all" : options.approve;
  if (setup.place.approve != "none") {  // otherwise each of its runs would refuse to start
    if (Status s = check_records_place(setup.place.repo, state_dir); !s) return s;
  }
  Result<adapters::Registry> agents = load_agents(repository_of(setup.place.repo));
  if (!agents) return agents.error();
  if (Status s = check_trust(given, *agents, task); !s) return s;
  Result<task_run::WorkerAgent> agent = worker_agent(setup.spec, *agents);
  if (!agent) return agent.error();
  setup.agent = std::move(agent).value();
  if (Status s = set_place(*agents->find(setup.agent.name), task); !s) return s;
  if (Status s = check_budget(*agents->find(setup.agent.name), task); !s) return s;
  for (const auto& [name, value] : setup.spec.worker.provider.extra_env) {
    if (value.starts_with("env:") && !setup.variables.contains(value.substr(4))) {
      return usage_error("runner.worker.env: " + name + " is to be $" +
                         base::printable(value.substr(4)) + ", which orch does not have");
    }
  }
  return set_provider(given, texts, *agents, task);
}

using OnUntrusted = std::function<void(const UntrustedTask&)>;

Result<PreparedTask> prepare_new(const TaskOptions& options, const std::string& state_dir,
                                 const OnUntrusted& on_untrusted) {
  PreparedTask task;
  Result<SpecFile> file = read_spec_file(options.file, task::kMaxSpecBytes);
  if (!file) return file.error();
  Result<task_run::TaskTexts> texts = read_texts(options.file, *file);
  if (!texts) return texts.error();
  task.setup.spec = *task::parse_task_spec(texts->spec, options.file);
  const Circumstances given{options, on_untrusted, *file,
                            [&] { return find_author(*file, options.trust_file); }};
  if (Status s = set_up(given, *texts, state_dir, task.setup.spec.repo, task); !s) {
    return s.error();
  }
  texts->author = author_line(*file);
  std::string moved;
  Result<std::unique_ptr<task_run::TaskFolder>> folder =
      task_run::TaskFolder::create(state_dir, task.setup.spec.id, *texts, moved);
  if (!folder) return folder.error();
  task.folder = std::move(folder).value();
  if (!moved.empty()) task.notes.push_back("the earlier task of that id is kept as " + moved);
  return task;
}

// Recalls who vouched for the copy of the task file in the task's folder when the task began.
void recall_author(const task_run::TaskTexts& texts, SpecFile& file) {
  file.author = SpecFile::Author::kAnybody;
  for (const auto author : {SpecFile::Author::kUser, SpecFile::Author::kTrusted}) {
    SpecFile as_then = file;
    as_then.author = author;
    if (texts.author == author_line(as_then)) file.author = author;
  }
}

Result<PreparedTask> prepare_again(const TaskOptions& options, const std::string& state_dir,
                                   const OnUntrusted& on_untrusted) {
  if (!base::is_name(options.resume, task::kMaxTaskName)) {
    return usage_error("--resume " + base::printable(options.resume) + ": that is not a task's id");
  }
  Result<std::unique_ptr<task_run::TaskFolder>> folder =
      task_run::TaskFolder::open(state_dir, options.resume);
  if (!folder) return usage_error(folder.error().text);
  PreparedTask task;
  task.folder = std::move(folder).value();
  Result<task_run::TaskTexts> texts = task.folder->texts();
  if (!texts) return texts.error();
  const std::string path = task.folder->path() + "/task.yaml";
  Result<task::TaskSpec> spec = task::parse_task_spec(texts->spec, path);
  if (!spec) return spec.error();
  task.setup.spec = std::move(spec).value();
  Result<std::vector<task::JournalEntry>> journal = task.folder->read_journal();
  if (!journal) return journal.error();
  task.journal = std::move(journal).value();
  std::string repo = task.setup.spec.repo;
  if (!task.journal.empty()) repo = std::get<task::Opened>(task.journal.front().what).repo;
  SpecFile file{
      .text = texts->spec, .name = path, .path = path, .sha256 = base::sha256_hex(texts->spec)};
  const auto author = [&]() -> Status {
    if (!options.trust_file.empty()) return find_author(file, options.trust_file);
    recall_author(*texts, file);
    return base::Ok{};
  };
  const Circumstances given{options, on_untrusted, file, author};
  if (Status s = set_up(given, *texts, state_dir, repo, task); !s) return s.error();
  return task;
}

}  // namespace

Result<PreparedTask> prepare_task(const TaskOptions& options, const OnUntrusted& on_untrusted) {
  if (options.approve != "none" && options.approve != "all") {
    return usage_error("--approve " + base::printable(options.approve) + ": write none or all");
  }
  if (options.file.empty() == options.resume.empty()) {
    return usage_error("say which task: orch task FILE (- is standard input), or --resume ID");
  }
  Result<std::string> state_dir = state_dir_of(options.state_dir);
  if (!state_dir) return state_dir.error();
  return options.resume.empty() ? prepare_new(options, *state_dir, on_untrusted)
                                : prepare_again(options, *state_dir, on_untrusted);
}

}  // namespace orch::setup
