#include "meta/agent_cli.h"

#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/limit_text.h"
#include "base/log.h"
#include "base/own_program.h"
#include "base/random.h"
#include "base/text.h"
#include "mask/text.h"
#include "pty/cgroup.h"
#include "pty/program.h"
#include "session/environment.h"

namespace orch::meta {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr size_t kMostAnswerBytes = 1 << 20;
constexpr size_t kErrorTail = 4'096;

std::vector<std::string> entries_of(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> entries;
  entries.reserve(variables.size());
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

mask::Secrets secrets_of(const CliConfig& config) {
  std::vector<mask::Variable> variables;
  for (const auto& [name, value] : config.variables) {
    variables.push_back({name, value, mask::Variable::From::kEnvironment});
  }
  for (const auto& [name, value] : config.provider.extra_env) {
    constexpr std::string_view kReference = "env:";
    if (!value.starts_with(kReference)) continue;
    const auto found = config.variables.find(value.substr(kReference.size()));
    if (found == config.variables.end()) continue;
    variables.push_back({name, found->second, mask::Variable::From::kUser});
  }
  return mask::Secrets::of(variables);
}

// The last line of the output that is not blank.
std::string last_line(std::string_view text) {
  text = base::trim(text);
  std::string_view line = text.substr(text.find_last_of('\n') + 1);
  return std::string(line.substr(0, kMostErrorText));
}

}  // namespace

Result<EmptyFolder> EmptyFolder::create(const std::string& parent) {
  std::error_code failure;
  const std::string real = std::filesystem::canonical(parent, failure).string();
  std::string path = (failure ? parent : real) + "/orch-meta-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return base::system_error("make a folder " + path, errno);
  EmptyFolder folder(std::move(path));
  if (::mkdir(folder.path().c_str(), 0700) == 0) return folder;
  return base::system_error("make a folder " + folder.path(), errno);
}

EmptyFolder::EmptyFolder(EmptyFolder&& other) noexcept : outer_(std::exchange(other.outer_, "")) {}

EmptyFolder::~EmptyFolder() {
  std::error_code ignored;
  if (!outer_.empty()) std::filesystem::remove_all(outer_, ignored);
}

AgentCli::AgentCli(loop::Loop& loop, CliConfig config)
    : loop_(loop),
      config_(std::move(config)),
      secrets_(std::make_shared<const mask::Secrets>(secrets_of(config_))),
      timer_(loop),
      removal_(loop) {}

AgentCli::~AgentCli() { end(); }

Status AgentCli::check() const {
  const Result<adapters::ExecPlan> planned = plan("a question", "/");
  if (!planned) return planned.error();
  return check_program(planned->command);
}

void AgentCli::ask(const Question& question, OnAnswer on_answer) {
  ORCH_CHECK(!on_answer_);  // one at a time
  on_answer_ = std::move(on_answer);
  prompt_ = question.instructions + "\n\n" + question.text;
  output_.clear();
  errors_.clear();
  timer_.start(0, [this] {
    if (Status s = start(); !s) fail(s.error().text);
  });
}

Result<adapters::ExecPlan> AgentCli::plan(const std::string& prompt,
                                          const std::string& folder) const {
  adapters::WorkerCall call;
  call.prompt = prompt;
  adapters::ExecPlace place;
  place.role = adapters::Role::kMeta;
  place.workdir = folder;
  place.variables = config_.variables;
  return adapters::plan_exec(config_.manifest, config_.provider, call, place);
}

// The CLI gets its vendor's key, so its program must not be one that an agent has put there.
Status AgentCli::check_program(const std::string& name) const {
  const auto path = config_.variables.find("PATH");
  const Result<std::string> program =
      pty::find_program(name, path == config_.variables.end() ? "" : path->second);
  if (!program) return base::Ok{};  // starting the program will report that
  const std::string place = base::folder_of_agents_with(*program);
  if (place.empty()) return base::Ok{};
  return base::usage_error(base::printable(*program) + " lies in " + base::printable(place) +
                           ", where agents may write: it is not asked");
}

// Puts the process into a fence of its own. The fence grants it its empty folder and the places in
// its manifest.
Status AgentCli::enclose(const std::string& id, pty::ProcessPlan& process) {
  const auto& added = config_.manifest.fence.env;
  for (const auto& [name, value] : added) process.env.push_back(name + "=" + value);
  const session::FenceFiles files(id, folder_->outer());
  Result<std::unique_ptr<session::AgentFence>> fence =
      session::AgentFence::raise(*config_.fence, config_.manifest.fence, files,
                                 {.cwd = process.cwd,
                                  .state_dir = config_.state_dir,
                                  .argv = process.argv,
                                  .environment = process.env,
                                  .persons_environment = process.env});
  if (!fence) return fence.error();
  fence_ = std::move(fence).value();
  fence_->enclose(process.argv, process.env);
  return base::Ok{};
}

Status AgentCli::start() {
  Result<EmptyFolder> folder = EmptyFolder::create(config_.private_folder);
  if (!folder) return folder.error();
  folder_.emplace(std::move(folder).value());
  Result<adapters::ExecPlan> planned = plan(prompt_, folder_->path());
  if (!planned) return planned.error();
  if (Status s = check_program(planned->command); !s) return s;
  const std::string id = "meta-" + base::random_hex();
  std::unique_ptr<pty::Cgroup> cgroup = pty::Cgroup::create(pty::own_cgroup(), id);
  pty::ProcessPlan process;
  const base::Fd entrance = cgroup ? cgroup->entrance() : base::Fd();
  process.cgroup_entrance = entrance.get();
  process.parent_death = pty::ParentDeath::kDieToo;
  containment_.emplace(id, std::move(cgroup));
  process.argv = {planned->command};
  process.argv.insert(process.argv.end(), planned->args.begin(), planned->args.end());
  process.cwd = planned->workdir;
  process.env = session::agent_environment(entries_of(config_.given), planned->env, id);
  process.input = std::move(planned->input);
  if (config_.fence) {
    if (Status s = enclose(id, process); !s) return s;
  }
  Result<std::unique_ptr<pty::Process>> started =
      pty::Process::spawn(loop_, std::move(process), *this);
  if (!started) return started.error();
  process_ = std::move(started).value();
  timer_.start(config_.timeout_ms,
               [this] { fail("no answer within " + base::limit_text(config_.timeout_ms)); });
  return base::Ok{};
}

void AgentCli::on_output(std::string_view bytes) {
  output_ += bytes;
  if (output_.size() > kMostAnswerBytes) {
    fail("the answer is larger than " + std::to_string(kMostAnswerBytes) + " bytes");
  }
}

void AgentCli::on_error_output(std::string_view bytes) {
  errors_ += bytes;
  if (errors_.size() > 2 * kErrorTail) errors_.erase(0, errors_.size() - kErrorTail);
}

void AgentCli::on_end(pty::ExitStatus status) {
  if (status.signal == 0 && status.code == 0) {
    if (base::trim(output_).empty()) return fail("it said nothing");
    return deliver(Answer{.text = std::exchange(output_, ""), .usage = {}});
  }
  std::string why = status.signal != 0 ? "killed by signal " + std::to_string(status.signal)
                                       : "exit code " + std::to_string(status.code);
  std::string said = last_line(errors_);
  if (said.empty()) said = last_line(output_);
  fail(said.empty() ? why : why + ": " + said);
}

void AgentCli::fail(const std::string& why) {
  deliver(Error{ErrorCode::kSystem,
                config_.provider.kind + ": " + mask::masked(secrets_, base::printable(why))});
}

void AgentCli::deliver(Result<Answer> result) {
  end();
  const OnAnswer on_answer = std::exchange(on_answer_, nullptr);
  on_answer(std::move(result));
}

// Ends the CLI and everything that it has started.
void AgentCli::end() {
  timer_.stop();
  if (containment_) containment_->kill();
  process_.reset();
  if (containment_) removal_.remove(containment_->leave_cgroup(), [] {});
  containment_.reset();
  if (fence_) {
    for (const std::string& file : fence_->changed()) {
      base::log_warn("meta", config_.provider.kind + " has changed " + base::printable(file));
    }
  }
  fence_.reset();
  folder_.reset();
}

}  // namespace orch::meta
