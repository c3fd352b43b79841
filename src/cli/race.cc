// orch race: several agents at one issue. Each is an `orch run` in a worktree of its own; this
// process starts them, judges the work of each one that has ended, and records the winner.
#include "cli/race.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/name.h"
#include "base/text.h"
#include "cli/gates_again.h"
#include "cli/own_command.h"
#include "client/runs.h"
#include "duties/worktree.h"
#include "event/exit_reason.h"
#include "options/run_option.h"
#include "repo/landing.h"
#include "repo/worktree.h"
#include "session/environment.h"
#include "setup/git_fence.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/session_file.h"
#include "store/time_text.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using issue::Racer;

constexpr std::string_view kCheckEnding = "-check";
// Options that the race itself sets for each of its runs.
constexpr auto kOwn = std::to_array<std::string_view>(
    {"--prompt", "--prompt-file", "--agent", "--model", "--worktree", "--output", "--color",
     "--live", "--jobs", "--comments"});

std::string counted(int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string now() { return store::rfc3339_utc(std::chrono::system_clock::now()); }

class Race {
 public:
  Race(const RaceOptions& options, const client::Place& place, const std::set<std::string>& given)
      : options_(options), place_(place), given_(given) {}

  Status prepare();
  Status start(const std::string& prompt);
  Status watch();
  issue::RaceRecord take_record() { return std::move(record_); }

 private:
  Status begin(Racer& racer, const std::string& prompt);
  void judge(Racer& racer);
  Status read_run(Racer& racer);
  Status measure(Racer& racer);
  Status check(Racer& racer, const std::string& tree);
  Status keep_branch(Racer& racer);
  void say(const Racer& racer, const std::string& text) const;
  repo::Worktree worktree_of(const std::string& name) const;
  Result<std::string> tree_of(const repo::Worktree& worktree, const std::string& head);
  Status save() { return issue::write_race(files_.record, record_); }

  const RaceOptions& options_;
  const client::Place& place_;
  const std::set<std::string>& given_;
  issue::RaceFiles files_;
  issue::RaceRecord record_;
  base::Fd turn_;
  std::vector<pid_t> pids_;  // of the racers' runs; 0: it has ended
  std::vector<store::RunRecord> runs_;
  std::optional<repo::LandingRepository> git_;
};

void Race::say(const Racer& racer, const std::string& text) const {
  std::fprintf(stderr, "orch: race of %s: %s: %s\n", record_.issue.c_str(), racer.name.c_str(),
               base::printable(text).c_str());
}

repo::Worktree Race::worktree_of(const std::string& name) const {
  repo::WorktreeRequest wanted;
  wanted.repository = record_.repository;
  wanted.issue = name;
  return repo::planned_worktree(wanted);
}

// Finds what stands in the way before any agent is started.
Status Race::prepare() {
  record_.issue = options_.request.issues.front();
  record_.repository = place_.repository;
  record_.issue_repository = options_.request.issue_repository;
  record_.protect = options_.protect;
  record_.began = now();
  Result<std::vector<Racer>> racers = issue::racers_of(record_.issue, options_.agents);
  if (!racers) return racers.error();
  record_.racers = std::move(racers).value();
  repo::WorktreeRequest wanted;
  wanted.repository = wanted.folder = record_.repository;
  std::vector<std::string> names;
  for (const Racer& racer : record_.racers) names.push_back(racer.name);
  if (Status s = setup::look_in_git_fence(wanted.repository,
                                          [&] { return repo::check_worktrees(wanted, names); });
      !s) {
    return s;
  }
  files_ =
      issue::race_files(place_.state_dir, store::session_key(record_.issue, record_.repository));
  if (Status s = store::create_folders(place_.state_dir + "/races"); !s) return s;
  turn_ = store::try_lock(files_.lock);
  if (!turn_.valid()) {
    return base::usage_error("another orch race of issue " + record_.issue + " is at work");
  }
  Result<repo::LandingRepository> git =
      repo::LandingRepository::make(files_.git, record_.repository);
  if (!git) return git.error();
  git_ = std::move(git).value();
  const Result<std::string> head = repo::commit_checked_out(record_.repository);
  if (!head) return head.error();
  record_.commit = *head;
  return base::Ok{};
}

Status Race::begin(Racer& racer, const std::string& prompt) {
  std::vector<std::string> words{"run", racer.name, "--agent=" + racer.agent, "--worktree",
                                 "--output=quiet"};
  if (!racer.model.empty()) words.push_back("--model=" + racer.model);
  if (!prompt.empty()) words.emplace_back("--prompt=-");
  const std::vector<std::string> more = options::command_words(options_.request, given_, kOwn);
  words.insert(words.end(), more.begin(), more.end());
  const Result<pid_t> child = start_own_command(words, session::own_environment(), prompt);
  if (!child) return child.error();
  pids_.push_back(*child);
  return base::Ok{};
}

Status Race::start(const std::string& prompt) {
  for (Racer& racer : record_.racers) {
    if (Status s = begin(racer, prompt); !s) {
      for (const pid_t pid : pids_) ::kill(pid, SIGTERM);
      return s;
    }
  }
  runs_.resize(record_.racers.size());
  return save();
}

Status Race::watch() {
  bool is_over = false;
  for (;;) {
    const EndedCommand ended = wait_for_command(-1);
    if (ended.pid == 0) break;
    const auto at = std::find(pids_.begin(), pids_.end(), ended.pid);
    if (at == pids_.end()) continue;
    *at = 0;
    Racer& racer = record_.racers[static_cast<size_t>(at - pids_.begin())];
    if (is_over) {
      racer.trouble = "another was first";
      (void)read_run(racer);  // what cannot be read has not completed
    } else {
      judge(racer);
    }
    const std::string why = issue::why_not(racer, record_);
    say(racer, why.empty() ? counted(racer.files, "file") + ", " + counted(racer.lines, "line")
                           : "cannot win: " + why);
    if (options_.first && why.empty() && !is_over) {
      is_over = true;
      for (const pid_t pid : pids_) {
        if (pid != 0) ::kill(pid, SIGTERM);
      }
    }
    if (Status s = save(); !s) return s;
  }
  const Racer* winner = issue::winner_of(record_);
  if (winner != nullptr) record_.winner = winner->name;
  for (Racer& racer : record_.racers) {
    if (&racer == winner || racer.run.empty()) continue;
    if (Status s = keep_branch(racer); !s) say(racer, "its worktree stays: " + s.error().text);
  }
  record_.ended = now();
  std::error_code failure;
  std::filesystem::remove_all(files_.git, failure);
  return save();
}

Status Race::read_run(Racer& racer) {
  client::RunFilter filter;
  filter.issue = racer.name;
  filter.since = store::parse_rfc3339_utc(record_.began);
  std::optional<store::RunRecord> run;
  Status all = client::each_run(place_, filter, [&run](const client::RunView& view) {
    if (view.unreadable.empty() && !run) run = view.record;
  });
  if (!all) return all;
  if (!run) return base::Ok{};
  racer.run = run->id;
  racer.began = run->git_before;
  racer.is_completed = run->status == store::RunStatus::kCompleted;
  racer.reason = event::name(event::ExitReason::kInternal);  // its host died
  if (run->verdict) {
    racer.reason = event::name(run->verdict->reason);
    racer.ms = run->verdict->ms.value_or(0);
    if (run->verdict->usage) racer.cost_usd = run->verdict->usage->cost_usd;
  }
  runs_[static_cast<size_t>(&racer - record_.racers.data())] = std::move(*run);
  return base::Ok{};
}

void Race::judge(Racer& racer) {
  Status judged = read_run(racer);
  if (judged && racer.is_completed) judged = measure(racer);
  if (!judged) racer.trouble = judged.error().text;
}

// The tree of the files in the worktree, or of the branch of one that was removed.
Result<std::string> Race::tree_of(const repo::Worktree& worktree, const std::string& head) {
  if (!std::filesystem::exists(worktree.path + "/.git")) return git_->tree_of(head);
  const Result<std::string> branch = repo::branch_in(worktree.path);
  if (!branch) return branch.error();
  if (*branch != worktree.branch) {
    return base::usage_error("its worktree is not on branch " + worktree.branch);
  }
  if (!repo::unfinished_operation(worktree.path).empty()) {
    return base::usage_error("its worktree is in the middle of an operation of git");
  }
  return git_->tree_of_files(worktree.path, head);
}

Status Race::measure(Racer& racer) {
  const repo::Worktree worktree = worktree_of(racer.name);
  const Result<std::string> head = repo::commit_of_branch(record_.repository, worktree.branch);
  if (!head) return head.error();
  if (head->empty()) return base::Ok{};  // removed, because there was no work in it
  const Result<std::string> files = tree_of(worktree, *head);
  if (!files) return files.error();
  const Result<std::string> tree = git_->with_files_of(record_.commit, *files, record_.protect);
  if (!tree) return tree.error();
  const auto size = git_->size_of_change(record_.commit, *tree);
  if (!size) return size.error();
  racer.files = size->files;
  racer.lines = size->lines;
  return racer.files == 0 ? base::Status(base::Ok{}) : check(racer, *tree);
}

// Runs the gates on a checkout of this tree that nobody else has.
Status Race::check(Racer& racer, const std::string& tree) {
  const store::RunRecord& run = runs_[static_cast<size_t>(&racer - record_.racers.data())];
  const Result<std::string> commit =
      git_->commit(tree, {record_.commit}, "The work of " + racer.name + ", to be checked");
  if (!commit) return commit.error();
  repo::WorktreeRequest wanted;
  wanted.repository = wanted.folder = record_.repository;
  wanted.issue = racer.name.substr(0, base::kMaxName - kCheckEnding.size());
  wanted.issue += kCheckEnding;
  wanted.earlier = repo::WorktreeRequest::Earlier::kReuse;
  const std::string root = worktree_of(wanted.issue).path;
  Status moved =
      repo::move_branch(record_.repository, worktree_of(wanted.issue).branch, "", *commit);
  if (!moved) return moved;
  const Result<std::string> fields = setup::in_git_fence(
      wanted.repository, [&wanted] { return repo::to_fields(repo::open_worktree(wanted)); });
  if (!fields) return fields.error();
  const Result<repo::Worktree> opened = repo::opened_from_fields(*fields);
  if (!opened) return opened.error();
  const std::string& own = worktree_of(racer.name).path;
  const std::string folder =
      run.cwd.starts_with(own + "/") ? root + run.cwd.substr(own.size()) : root;
  const Result<GatesAgain> again = run_gates_again(place_, run, root, folder);
  const Result<std::string> gone = setup::in_git_fence(wanted.repository, [&opened] {
    const Status discarded = repo::discard_worktree(*opened);
    return discarded ? std::string() : discarded.error().text;
  });
  if (gone && !gone->empty()) say(racer, "the checkout of its check stays: " + *gone);
  if (!again) return again.error();
  racer.gates = again->code;
  return base::Ok{};
}

// Commits what a loser left, so that its branch has all of it, and removes its worktree.
Status Race::keep_branch(Racer& racer) {
  const repo::Worktree worktree = worktree_of(racer.name);
  Result<std::string> head = repo::commit_of_branch(record_.repository, worktree.branch);
  if (!head) return head.error();
  if (head->empty()) return base::Ok{};
  const Result<std::string> tree = tree_of(worktree, *head);
  if (!tree) return tree.error();
  const Result<std::string> committed = git_->tree_of(*head);
  if (!committed) return committed.error();
  if (*tree != *committed) {
    const Result<std::string> commit =
        git_->commit(*tree, {*head}, "The work of " + racer.name + ", which did not win the race");
    if (!commit) return commit.error();
    if (Status s = repo::move_branch(record_.repository, worktree.branch, *head, *commit); !s) {
      return s;
    }
    if (Status s = repo::renew_index(worktree.path); !s) return s;
    *head = *commit;
  }
  racer.left = *head;
  if (!std::filesystem::exists(worktree.path)) return base::Ok{};
  const store::WorktreeEnd end = duties::leave_fenced(worktree);
  return end.kept ? Status(base::usage_error(end.why)) : base::Ok{};
}

}  // namespace

Result<issue::RaceRecord> run_race(const RaceOptions& options, const client::Place& place,
                                   const std::string& prompt, const std::set<std::string>& given) {
  Race race(options, place, given);
  if (Status s = race.prepare(); !s) return s.error();
  if (Status s = race.start(prompt); !s) return s.error();
  if (Status s = race.watch(); !s) return s.error();
  return race.take_record();
}

}  // namespace orch::cli
