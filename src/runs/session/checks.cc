#include "session/checks.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/log.h"
#include "base/own_program.h"
#include "base/text.h"
#include "mask/text.h"
#include "repo/changes.h"
#include "session/environment.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/run_checks.h"

namespace orch::session {
namespace {

constexpr int kCannotStart = 126;
constexpr size_t kMostAnswerBytes = 1 << 20;
constexpr int64_t kLeaveWorktreeMs = 5 * 60'000;
constexpr int64_t kLockedOutMs = 200;
constexpr int64_t kKeepEndMs = 2 * 60'000;

// The helper that wrote the file does not know which values of --env are secret. The file stays in
// the run's folder, so it is written again with the secrets masked.
run::Changes read_changes(const std::string& path,
                          const std::shared_ptr<const mask::Secrets>& secrets) {
  run::Changes changes;
  const base::Result<std::string> text = store::read_regular_file(path, kMostAnswerBytes);
  if (!text) {
    changes.unknown = text.error().text;
    return changes;
  }
  base::Result<store::FoundChanges> found = store::found_changes_from_json(*text);
  if (!found) {
    changes.unknown = found.error().text;
    return changes;
  }
  for (std::string& name : found->paths) name = mask::masked(secrets, name);
  if (!store::write_file_unsynced(path, store::to_json(*found))) ::unlink(path.c_str());
  return {found->unknown, found->head_moved, found->files, std::move(found->paths)};
}

// An error of the system, for example a lack of memory or file descriptors, says nothing about the
// agent's work.
bool is_of_the_system(base::ErrorCode code) {
  return code == base::ErrorCode::kSystem || code == base::ErrorCode::kShortage;
}

// Standard output goes to standard error, the only stream that is read, so that the order of both
// is kept.
std::vector<std::string> shell(const std::string& command) {
  return {"/bin/sh", "-c", "exec /bin/sh -c \"$1\" >&2", "sh", command};
}

}  // namespace

Checks::Checks(loop::Loop& loop, const SessionSetup& setup, const AgentProcess& agent,
               const store::RunDir& dir, std::string git_before, Told told)
    : loop_(loop),
      setup_(setup),
      agent_(agent),
      dir_(dir),
      git_before_(std::move(git_before)),
      told_(std::move(told)),
      soon_(loop) {}

base::Status Checks::start(CheckPlan plan, std::function<void(CheckProcess::End)> on_end) {
  const std::string id = dir_.id() + "-check-" + std::to_string(++begun_);
  add_mark(id, plan.env);
  base::Result<std::unique_ptr<CheckProcess>> process = CheckProcess::start(
      loop_, plan, agent_.containment_inside(id),
      [this](std::string_view bytes) { output_->feed(bytes); }, std::move(on_end));
  if (!process) return process.error();
  process_ = std::move(process).value();
  return base::Ok{};
}

void Checks::run_gate(const run::RunGate& gate) {
  base::log_info("gate", std::to_string(gate.n) + ": " + base::printable(gate.command), dir_.id());
  gate_ = gate;
  gate_trouble_.clear();
  is_locked_out_ = false;
  output_ = std::make_unique<run::GateOutput>();
  start_gate();
}

// A lock may be held for as long as another run's gates take, so it is asked for again and again.
void Checks::start_gate() {
  const run::RunGate& gate = gate_;
  if (!setup_.gate_lock.empty()) {
    lock_ = store::try_lock(setup_.gate_lock);
    if (!lock_.valid() && errno == EAGAIN) {
      if (!std::exchange(is_locked_out_, true)) told_.on_locked();
      return soon_.start(kLockedOutMs, [this] { start_gate(); });
    }
    if (!lock_.valid()) {
      gate_trouble_ = base::system_error("lock " + setup_.gate_lock, errno).text;
      return soon_.start(
          0, [this] { on_gate_end({.code = kCannotStart, .timed_out = false, .ms = 0}); });
    }
  }
  CheckPlan plan{.argv = shell(gate.command),
                 .cwd = setup_.cwd,
                 .env = agent_.environment(),
                 .timeout_ms = gate.timeout_ms};
  if (setup_.enclosure) {
    setup_.enclosure->enter({.cwd = setup_.cwd,
                             .env = enclosed_environment(setup_.launch.env),
                             .talk = Enclosure::Talk::kPipes,
                             .mark = gate_mark()},
                            plan.argv, plan.env);
  }
  if (agent_.fence() != nullptr) agent_.fence()->enclose(plan.argv, plan.env);
  const base::Status started =
      start(std::move(plan), [this](CheckProcess::End end) { on_gate_end(end); });
  if (started) return;
  output_->feed(started.error().text + "\n");
  // A gate that cannot be started because the agent has removed the folder has failed; a gate that
  // the system had no room for has not been run.
  if (is_of_the_system(started.error().code)) gate_trouble_ = started.error().text;
  soon_.start(0, [this] { on_gate_end({.code = kCannotStart, .timed_out = false, .ms = 0}); });
}

std::string Checks::gate_mark() const { return dir_.id() + "-gate-" + std::to_string(gate_.n); }

void Checks::on_gate_end(CheckProcess::End end) {
  if (end.left != 0) {
    output_->feed("orch: its process, pid " + std::to_string(end.left) + ", cannot be ended\n");
  }
  if (setup_.enclosure) setup_.enclosure->end_marked(gate_mark());
  process_.reset();
  lock_.reset();
  run::GateEnd told{.n = gate_.n,
                    .command = gate_.command,
                    .code = end.code,
                    .ms = end.ms,
                    .timed_out = end.timed_out,
                    .output = output_->tail(),
                    .trouble = gate_trouble_};
  base::log_info("gate", std::to_string(gate_.n) + ": " + describe(told), dir_.id());
  const std::string log = output_->text();
  told_.on_gate(std::move(told), log);
}

void Checks::help(std::vector<std::string> words, int64_t timeout_ms,
                  const std::function<void(CheckProcess::End)>& on_end) {
  output_ = std::make_unique<run::GateOutput>();
  words.insert(words.begin(), {setup_.own_program, base::kInternal});
  CheckPlan plan{
      .argv = std::move(words), .cwd = "/", .env = own_environment(), .timeout_ms = timeout_ms};
  add_mark(dir_.id(), plan.env);
  // the helper finds the remembered work folders there (fence/work_places.h)
  plan.env.push_back("ORCH_STATE_DIR=" + setup_.state_dir);
  const base::Status started = start(std::move(plan), on_end);
  if (started) return;
  output_->feed(started.error().text);
  soon_.start(0, [on_end] { on_end({.code = kCannotStart, .timed_out = false, .ms = 0}); });
}

std::string Checks::trouble_of(const CheckProcess::End& end) const {
  if (end.timed_out) return "it took longer than " + std::to_string(end.ms / 1'000) + "s";
  if (end.code == 0) return "";
  const std::string said = output_->tail();
  return said.empty() ? "exit code " + std::to_string(end.code) : said;
}

void Checks::find_changes(int64_t timeout_ms) {
  ::unlink(dir_.changes_file().c_str());
  std::vector<std::string> words{
      "changes", "--work-dir", setup_.cwd, "--snapshot",       dir_.snapshot_folder(),
      "--head",  git_before_,  "--to",     dir_.changes_file()};
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (std::string file = repo::file_identity(fd); !file.empty()) {
      words.insert(words.end(), {"--own-file", std::move(file)});
    }
  }
  help(std::move(words), timeout_ms, [this](CheckProcess::End end) { on_changes_end(end); });
}

void Checks::on_changes_end(CheckProcess::End end) {
  process_.reset();
  run::Changes changes;
  changes.unknown = trouble_of(end);
  if (changes.unknown.empty()) changes = read_changes(dir_.changes_file(), setup_.secrets);
  told_.on_changes(std::move(changes));
}

void Checks::keep_end() {
  const fence::Plan& plan = agent_.fence()->plan();
  std::vector<std::string> words{"snapshot",         "--end", "--work-dir",
                                 plan.work_dir.path, "--to",  dir_.end_snapshot_folder()};
  for (const std::string& place : fence::closed_in_writable(plan)) {
    words.insert(words.end(), {"--closed", place});
  }
  help(std::move(words), kKeepEndMs, [this](CheckProcess::End end) {
    process_.reset();
    if (const std::string why = trouble_of(end); !why.empty()) {
      base::log_warn("session", "the state at the run's end was not kept: " + why, dir_.id());
    }
    told_.on_kept();
  });
}

void Checks::leave_worktree() {
  help({"leave-worktree", "--repository", setup_.worktree->repository, "--path",
        setup_.worktree->path, "--branch", setup_.worktree->branch},
       kLeaveWorktreeMs, [this](CheckProcess::End end) { on_left_end(end); });
}

void Checks::on_left_end(CheckProcess::End end) {
  process_.reset();
  const std::string said = output_->text();
  base::Result<store::WorktreeEnd> told =
      store::worktree_end_from_json(said.substr(std::min(said.find('{'), said.size())));
  store::WorktreeEnd left;
  if (told) {
    left = std::move(told).value();
  } else {
    left.why = trouble_of(end);
    if (left.why.empty()) left.why = told.error().text;
  }
  left.path = setup_.worktree->path;
  left.branch = setup_.worktree->branch;
  told_.on_left(std::move(left));
}

void Checks::end() {
  soon_.stop();
  lock_.reset();
  process_.reset();
}

}  // namespace orch::session
