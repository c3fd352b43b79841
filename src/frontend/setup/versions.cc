#include "setup/versions.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>

#include "base/fd.h"
#include "base/log.h"
#include "base/own_program.h"
#include "base/path.h"
#include "base/pattern.h"
#include "base/text.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "pty/process.h"
#include "pty/program.h"
#include "session/environment.h"
#include "setup/agents.h"
#include "setup/paths.h"
#include "setup/version_cache.h"

namespace orch::setup {
namespace {

constexpr int64_t kVersionsMs = 10'000;
constexpr int64_t kAskAgainMs = 3'600'000;  // for programs that did not answer
constexpr size_t kMaxOutput = 64 * 1024;

// A process that was asked for its version.
class Question final : public pty::ProcessObserver {
 public:
  Question(loop::Loop& loop, const Asked& asked, std::function<void()> on_answered)
      : on_answered_(std::move(on_answered)) {
    pty::ProcessPlan plan;
    plan.argv = asked.argv;
    plan.cwd = "/";
    plan.env = asked.env;
    plan.parent_death = pty::ParentDeath::kDieToo;
    auto spawned = pty::Process::spawn(loop, std::move(plan), *this);
    if (spawned) process_ = std::move(spawned).value();
  }

  bool is_open() const { return process_ != nullptr && !ended_; }
  // Applies to the program, and to the threads and processes that it begins from now on.
  void set_niceness(int niceness) {
    if (is_open()) ::setpriority(PRIO_PROCESS, static_cast<id_t>(process_->pid()), niceness);
  }
  // Standard error is only used if standard output has no version: some programs print warnings
  // about the versions of other things there. A program that failed has no answer.
  std::string answer() const {
    if (!ended_ || status_.code != 0 || status_.signal != 0) return "";
    std::string version = version_in(output_);
    return version.empty() ? version_in(errors_) : version;
  }

 private:
  static void add(std::string& text, std::string_view bytes) {
    text.append(bytes.substr(0, kMaxOutput - text.size()));
  }
  void on_output(std::string_view bytes) override { add(output_, bytes); }
  void on_error_output(std::string_view bytes) override { add(errors_, bytes); }
  void on_end(pty::ExitStatus status) override {
    status_ = status;
    ended_ = true;
    on_answered_();
  }

  std::string output_, errors_;
  pty::ExitStatus status_;
  bool ended_ = false;
  std::function<void()> on_answered_;
  std::unique_ptr<pty::Process> process_;
};

// Whether the signal was ignored when this process started (nohup); then it stays ignored.
bool is_ignored(int signum) {
  struct sigaction found {};
  return ::sigaction(signum, nullptr, &found) == 0 && found.sa_handler == SIG_IGN;
}

int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Asks all programs at once and returns their answers in that order. A signal that interrupts it
// ends this process, and the programs with it.
std::vector<std::string> ask(const std::vector<Asked>& all, int64_t patience_ms) {
  std::vector<std::string> answers;
  if (all.empty()) return answers;
  int interrupted = 0;
  {
    loop::Loop loop;
    std::vector<std::unique_ptr<Question>> questions;
    const auto stop_if_answered = [&] {
      const bool open = std::any_of(questions.begin(), questions.end(),
                                    [](const auto& question) { return question->is_open(); });
      if (!open) loop.stop();
    };
    for (const Asked& one : all) {
      questions.push_back(std::make_unique<Question>(loop, one, stop_if_answered));
    }
    std::vector<std::unique_ptr<loop::SignalWatch>> signals;
    for (const int signum : {SIGINT, SIGTERM, SIGHUP}) {
      if (is_ignored(signum)) continue;
      signals.push_back(std::make_unique<loop::SignalWatch>(loop, signum, [&](int n) {
        interrupted = n;
        loop.stop();
      }));
    }
    loop::Timer deadline(loop);
    deadline.start(patience_ms, [&loop] { loop.stop(); });
    const bool open = std::any_of(questions.begin(), questions.end(),
                                  [](const auto& question) { return question->is_open(); });
    if (open) loop.run();
    for (const auto& question : questions) answers.push_back(question->answer());
  }
  if (interrupted != 0) std::raise(interrupted);
  return answers;
}

// This process's environment; variables in `added` replace those of the same name.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> env = session::own_environment();
  std::erase_if(env, [&added](const std::string& entry) {
    return added.contains(entry.substr(0, entry.find('=')));
  });
  for (const auto& [key, value] : added) env.push_back(key + "=" + value);
  return env;
}

// The program to ask. nullopt if it does not exist, if it lies where agents write, or if the
// manifest has no arguments that print its version.
std::optional<Asked> to_ask(const adapters::Manifest& agent, const std::string& program,
                            const std::map<std::string, std::string>& added,
                            const std::string& cwd) {
  if (agent.version.empty()) return std::nullopt;
  Asked asked{agent.name, {}, environment_with(added), {}};
  const base::Fd folder(::open(cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const base::Result<std::string> found = pty::find_program(
      program, session::value_in(asked.env, "PATH"), folder.valid() ? folder.get() : AT_FDCWD);
  if (!found) return std::nullopt;
  asked.argv = {found->starts_with('/') ? *found : cwd + "/" + *found};
  // The question runs without a fence, so it must not run a file that an agent may have put there.
  if (!base::folder_of_agents_with(asked.argv.front()).empty()) return std::nullopt;
  asked.argv.insert(asked.argv.end(), agent.version.begin(), agent.version.end());
  std::optional<Binary> binary = binary_of(asked.argv.front(), agent.version);
  if (!binary) return std::nullopt;
  asked.binary = std::move(*binary);
  return asked;
}

// If this fails, the version is asked for again later.
void save(const VersionCache& cache) {
  const base::Status saved = save_version_cache(cache, version_cache_file());
  if (!saved) base::log_info("versions", saved.error().text);
}

// Reads the cache again, because another process may have written it.
void keep(const Binary& binary, const std::string& version) {
  VersionCache cache = load_version_cache(version_cache_file());
  cache.keep(binary, {version, unix_ms()});
  save(cache);
}

bool is_part_of_orch(const adapters::Manifest& agent) {
  return !agent.program.empty() && agent.program.front() == kSelf;
}

std::string without_sequences(std::string_view text) {
  constexpr char kEscape = '\x1b', kBell = '\a';
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kEscape) {
      plain += text[i];
      continue;
    }
    plain += ' ';
    const char kind = ++i < text.size() ? text[i] : '\0';
    const auto ends = [kind](char c) {
      return kind == '[' ? c >= '@' && c <= '~' : c == kBell || c == '\\';
    };
    if (kind != '[' && kind != ']') continue;
    while (++i < text.size() && !ends(text[i])) {
    }
  }
  return plain;
}

}  // namespace

std::map<std::string, std::string> installed_versions(const adapters::Registry& agents) {
  std::map<std::string, std::string> versions;
  VersionCache cache = load_version_cache(version_cache_file());
  const base::Result<std::string> here = resolve_folder(".");
  std::vector<Asked> open;
  for (const adapters::Manifest& agent : agents.all()) {
    if (is_part_of_orch(agent)) {
      versions[agent.name] = ORCH_VERSION;
      continue;
    }
    if (agent.program.empty()) continue;
    std::optional<Asked> asked =
        to_ask(agent, agent.program.front(), agent.env, here ? *here : "/");
    if (!asked) continue;
    const VersionCache::Answer* known = cache.find(asked->binary);
    if (known != nullptr && !known->version.empty()) {
      versions[agent.name] = known->version;
    } else {
      open.push_back(std::move(*asked));
    }
  }
  const std::vector<std::string> answers = ask(open, kVersionsMs);
  for (size_t i = 0; i < open.size(); ++i) {
    versions[open[i].agent] = answers[i];
    cache.keep(open[i].binary, {answers[i], unix_ms()});
  }
  if (!open.empty()) save(cache);
  return versions;
}

KnownVersion known_version(const adapters::Manifest& agent, const adapters::LaunchPlan& launch,
                           const std::string& cwd, const std::vector<std::string>& writable) {
  if (is_part_of_orch(agent)) return {ORCH_VERSION, std::nullopt};
  std::optional<Asked> asked = to_ask(agent, launch.argv.front(), launch.env, cwd);
  if (!asked) return {};
  const std::string& file = asked->binary.command.front();
  const bool foreign =
      std::any_of(writable.begin(), writable.end(),
                  [&file](const std::string& folder) { return base::is_within(file, folder); });
  if (foreign) return {};
  const VersionCache cache = load_version_cache(version_cache_file());
  if (const VersionCache::Answer* known = cache.find(asked->binary)) {
    const int64_t age_ms = unix_ms() - known->asked_ms;
    if (!known->version.empty() || (age_ms >= 0 && age_ms < kAskAgainMs)) {
      return {known->version, std::nullopt};
    }
  }
  return {"", std::move(asked)};
}

struct VersionQuestion::Open {
  Open(loop::Loop& loop, Asked whom, Terms terms, std::function<void(std::string)> told)
      : asked(std::move(whom)), on_answered(std::move(told)), deadline(loop) {
    deadline.start(terms.patience_ms, [this] { end(); });
    question.emplace(loop, asked, [this] { deadline.start(0, [this] { end(); }); });
    question->set_niceness(terms.niceness);
    if (!question->is_open()) deadline.start(0, [this] { end(); });
  }

  void end() {
    std::string version = question->answer();
    question.reset();  // a program that did not answer in time is killed, and not heard any more
    keep(asked.binary, version);
    const auto told = std::move(on_answered);
    told(std::move(version));  // may destroy this
  }

  Asked asked;
  std::function<void(std::string)> on_answered;
  loop::Timer deadline;
  std::optional<Question> question;
};

VersionQuestion::VersionQuestion(loop::Loop& loop, Asked asked, Terms terms,
                                 std::function<void(std::string)> on_answered)
    : open_(std::make_unique<Open>(loop, std::move(asked), terms, std::move(on_answered))) {}

VersionQuestion::~VersionQuestion() = default;

std::string newer_note(const adapters::Manifest& agent, std::string_view version) {
  if (agent.tested.empty() || !is_newer(version, version_in(agent.tested))) return "";
  return agent.name + " " + std::string(version) + " is newer than " + agent.tested +
         ", the version its rules were tested with; if a status looks wrong, see orch explain";
}

std::string version_in(std::string_view text) {
  static const base::Pattern kVersion =
      base::Pattern::compile(R"((?:^|[^\w.])v?(\d{1,9}(?:\.\d{1,9})+))").value();
  std::string version;
  return kVersion.capture(without_sequences(text), &version) ? version : std::string();
}

bool is_newer(std::string_view version, std::string_view than) {
  const auto take = [](std::string_view& rest) {
    long number = 0;
    for (const char digit : base::take_until(rest, '.')) number = number * 10 + (digit - '0');
    return number;
  };
  while (!version.empty() || !than.empty()) {
    const long a = take(version), b = take(than);
    if (a != b) return a > b;
  }
  return false;
}

}  // namespace orch::setup
