// orch land, for one issue: commits what its agent left, brings it onto the base, runs the gates
// again, and publishes the result. A step that others can see is recorded before and after it, so
// that a landing that was killed goes on where it was.
#include "cli/landing.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/gates_again.h"
#include "cli/issue_source.h"
#include "cli/landing_look.h"
#include "cli/last_words.h"
#include "client/runs.h"
#include "duties/worktree.h"
#include "event/exit_reason.h"
#include "forge/forge.h"
#include "issue/pull_request_text.h"
#include "setup/git_fence.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/session_file.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using event::ExitReason;

const int kToLookAt = event::exit_code(ExitReason::kNeedsHuman);
const int kGateFailed = event::exit_code(ExitReason::kGateFailed);
const int kNothing = event::exit_code(ExitReason::kNoChanges);

constexpr size_t kMostNamed = 5;   // files in a message
constexpr size_t kLastLines = 12;  // of the agent's words, in a pull request

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (text.empty() ? "" : ", ") + base::printable(names[i]);
  }
  if (names.size() > kMostNamed) {
    text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  }
  return text;
}

void say(const std::string& issue, const std::string& line) {
  std::fprintf(stderr, "orch: issue %s: %s\n", issue.c_str(), base::printable(line).c_str());
}

// The end of a landing that does not go on. Errors of the system may pass; see report_forge().
struct Stop {
  std::string state;
  int code = 0;
  std::string detail;
};
Stop stop_for(const base::Error& error) {
  const bool may_pass =
      error.code == base::ErrorCode::kSystem || error.code == base::ErrorCode::kShortage;
  if (may_pass) return {"later", kLater, error.text};
  return {"refused", event::exit_code(error.code), error.text};
}

std::string keyword_of(const store::RunRecord& run) {
  return run.request ? run.request->keyword : std::string();
}

class Landing {
 public:
  Landing(const LandOptions& options, client::Place place, IssueRuns runs)
      : options_(options), place_(std::move(place)), runs_(std::move(runs)) {
    landed_.issue = runs_.newest().issue;
    landed_.branch = "orch/" + landed_.issue;
    landed_.base = options.base.empty() ? runs_.base.branch : options.base;
    files_ = issue::landing_files(place_.state_dir, runs_.key);
  }

  Landed carry_out() {
    const std::optional<Stop> stop = go();
    if (stop) {
      landed_.state = stop->state;
      landed_.code = stop->code;
      landed_.detail = stop->detail;
    }
    leave();
    return landed_;
  }

 private:
  using Step = std::optional<Stop>;  // nullopt: the landing goes on

  Step go() {
    for (Step (Landing::*step)() :
         {&Landing::check_run, &Landing::take_turn, &Landing::find_target, &Landing::open_worktree,
          &Landing::look_at_worktree, &Landing::find_base, &Landing::join_base,
          &Landing::check_files, &Landing::plan, &Landing::move_worktree, &Landing::run_gates,
          &Landing::publish}) {
      if (Step stop = (this->*step)()) return stop;
    }
    return std::nullopt;
  }

  const std::string& repository() const { return runs_.newest().repository; }
  static Step refuse(std::string text) { return Stop{"refused", 2, std::move(text)}; }
  static Step look(std::string text) { return Stop{"refused", kToLookAt, std::move(text)}; }

  Step check_run();
  Step take_turn();
  Step find_target();
  Step take_base_turn();
  Step open_worktree();
  Step look_at_worktree();
  Step find_base();
  Step join_base();
  Step check_files();
  Step plan();
  Step move_worktree();
  Step run_gates();
  Step publish();
  Step merge();
  Step push();
  Step open_pull_request();
  Step finish_merged(const forge::PullRequest& pr);
  Step create(const std::string& title, const std::string& body);
  Step save();
  void leave();
  // What a user does with work that cannot land as it is. A program after -- has no conversation.
  std::string way_on(const std::string& text) const {
    if (runs_.newest().agent != "command") return "orch continue " + landed_.issue + " " + text;
    return "change it in its worktree, then orch land " + landed_.issue;
  }
  std::string title();
  std::string body_text(const std::string& asked) const;
  std::vector<std::string> gates() const;

  const LandOptions& options_;
  client::Place place_;
  IssueRuns runs_;
  Landed landed_;
  issue::LandingFiles files_;
  issue::LandingRecord record_;
  base::Fd turn_;
  std::string base_lock_;  // with --merge
  base::Fd base_turn_;
  std::optional<ForgeOfIssue> target_;  // unless it merges
  std::unique_ptr<forge::Forge> forge_;
  repo::Worktree worktree_;
  std::optional<repo::LandingRepository> git_;
  std::string head_;    // the commit of the issue's branch as it is found
  std::string tree_;    // of the files in the worktree
  std::string base_;    // the newest commit of the base
  std::string result_;  // what lands
  std::string title_;
  bool is_dirty_ = false;  // files that are not committed
};

Landing::Step Landing::check_run() {
  const store::RunRecord& run = runs_.newest();
  if (run.status == store::RunStatus::kStarting || run.status == store::RunStatus::kRunning) {
    return Stop{"failed", kGateFailed,
                "run " + run.id + " is still at work: orch wait " + run.issue};
  }
  if (run.status == store::RunStatus::kCompleted || options_.anyway) return std::nullopt;
  const std::string why = run.verdict ? std::string(event::name(run.verdict->reason)) : "host died";
  return Stop{"failed", kGateFailed,
              "run " + run.id + " did not complete (" + why + "): " + way_on("TEXT") +
                  ", or land it --anyway"};
}

// One landing of an issue at a time.
Landing::Step Landing::take_turn() {
  if (Status s = store::create_folders(place_.state_dir + "/landings"); !s) {
    return stop_for(s.error());
  }
  turn_ = store::try_lock(files_.lock);
  if (!turn_.valid()) {
    return Stop{"later", kLater, "another orch land or feedback of this issue is at work"};
  }
  const store::Found<issue::LandingRecord> record = issue::read_landing(files_.record);
  if (record.is_unknown()) return stop_for(record.error());
  if (record.is_present()) record_ = *record;
  return std::nullopt;
}

Landing::Step Landing::find_target() {
  if (landed_.base.empty()) {
    return refuse("the run began on no branch: say where it lands, with --base BRANCH");
  }
  if (landed_.base == landed_.branch) {
    return refuse("--base " + landed_.base + " is the branch of the issue itself");
  }
  if (options_.merge) return take_base_turn();
  Result<ForgeOfIssue> on = forge_of(runs_, options_);
  if (!on) return stop_for(on.error());
  target_ = std::move(on).value();
  forge_ = forge::open_forge(target_->project, target_->source);
  return std::nullopt;
}

// Landings into one branch of this machine wait for each other: each is on the base that the one
// before has left.
Landing::Step Landing::take_base_turn() {
  if (options_.dry_run) return std::nullopt;
  const std::string branch = base::sha256_hex(repository() + "\n" + landed_.base).substr(0, 16);
  base_lock_ = place_.state_dir + "/landings/base-" + branch + ".lock";
  for (bool waits = false;; waits = true) {
    base_turn_ = store::try_lock(base_lock_);
    if (!base_turn_.valid() && errno != EAGAIN) {
      return stop_for(base::system_error("lock " + base_lock_, errno));
    }
    // Whoever had it has removed the file.
    if (base_turn_.valid() && store::still_there(base_turn_, base_lock_).is_present()) break;
    if (!waits) say(landed_.issue, "waits for another landing into " + landed_.base);
    constexpr timespec kPause{0, 200'000'000};
    ::nanosleep(&kPause, nullptr);
  }
  return std::nullopt;
}

Landing::Step Landing::open_worktree() {
  const Result<std::string> head = repo::commit_of_branch(repository(), landed_.branch);
  if (!head) return stop_for(head.error());
  if (head->empty()) {
    if (record_.merged) {
      landed_.url = record_.url;
      return Stop{"nothing", kNothing, "it was merged already"};
    }
    return Stop{"nothing", kNothing, "there is no branch " + landed_.branch + " to land"};
  }
  head_ = *head;
  repo::WorktreeRequest wanted;
  wanted.repository = repository();
  wanted.issue = landed_.issue;
  wanted.folder = repository();
  wanted.earlier = repo::WorktreeRequest::Earlier::kReuse;
  const std::string path = repo::planned_worktree(wanted).path;
  if (std::filesystem::exists(path + "/.git")) {
    const Result<std::string> branch = repo::branch_in(path);
    if (!branch) return stop_for(branch.error());
    if (*branch != landed_.branch) {
      return look(path + " is not on branch " + landed_.branch + ": git -C " + path + " switch " +
                  landed_.branch);
    }
  }
  const Result<std::string> fields = setup::in_git_fence(
      wanted.repository, [&wanted] { return repo::to_fields(repo::open_worktree(wanted)); });
  if (!fields) return stop_for(fields.error());
  Result<repo::Worktree> opened = repo::opened_from_fields(*fields);
  if (!opened) return stop_for(opened.error());
  worktree_ = std::move(opened).value();
  return std::nullopt;
}

// Reads what the agent left. Nothing that it wrote is obeyed: see repo/landing.h.
Landing::Step Landing::look_at_worktree() {
  const std::string named = base::printable(worktree_.path);
  if (const std::string doing = repo::unfinished_operation(worktree_.path); !doing.empty()) {
    return look(named + " is in the middle of a " + doing + ": git -C " + named +
                " status says how to end it");
  }
  Result<repo::LandingRepository> git = repo::LandingRepository::make(files_.git, repository());
  if (!git) return stop_for(git.error());
  git_ = std::move(git).value();
  const Result<std::string> tree = git_->tree_of_files(worktree_.path, head_);
  if (!tree) {
    return look("its files cannot be committed: " + tree.error().text);
  }
  tree_ = *tree;
  const Result<std::string> committed = git_->tree_of(head_);
  if (!committed) return stop_for(committed.error());
  is_dirty_ = tree_ != *committed;
  return std::nullopt;
}

Landing::Step Landing::find_base() {
  if (options_.merge) {
    Result<std::string> base = repo::commit_of_branch(repository(), landed_.base);
    if (!base) return stop_for(base.error());
    if (base->empty())
      return refuse("there is no local branch " + landed_.base + ": --base BRANCH");
    base_ = *base;
    return std::nullopt;
  }
  // A fork's base may be old: the project's counts.
  const std::string& url = options_.remote.empty() ? runs_.base.url : target_->push_url;
  const Result<std::string> base = git_->branch_at(url, landed_.base);
  if (!base) return stop_for(base.error());
  if (base->empty()) {
    return refuse("the remote has no branch " + landed_.base +
                  " (any more): say where it lands, with --base BRANCH");
  }
  base_ = *base;
  if (git_->ask({"cat-file", "-e", base_ + "^{commit}"})) return std::nullopt;
  if (Status s = git_->fetch(url, landed_.base); !s) return stop_for(s.error());
  return std::nullopt;
}

// Makes the commits that land. So far nothing but objects is written.
Landing::Step Landing::join_base() {
  std::string tip = head_;
  if (is_dirty_) {
    const Result<std::string> made =
        git_->commit(tree_, {head_}, options_.message.empty() ? title() : options_.message);
    if (!made) return stop_for(made.error());
    tip = *made;
  }
  const Result<repo::LandingRepository::Joined> joined = git_->join(
      tip, base_, options_.merge_commit, "Merge " + landed_.base + " into " + landed_.branch);
  if (!joined) return stop_for(joined.error());
  if (!joined->conflicts.empty()) {
    return look("it conflicts with " + landed_.base + " in " + listed(joined->conflicts) +
                "; nothing was changed: " +
                way_on("\"git merge " + base_.substr(0, 12) + ", and resolve the conflicts\""));
  }
  result_ = joined->commit;
  landed_.commit = result_;
  return std::nullopt;
}

Landing::Step Landing::check_files() {
  const Result<std::string> fork = git_->ask({"merge-base", base_, result_});
  const std::string since = fork ? std::string(base::trim(*fork)) : base_;
  const Result<std::vector<repo::ChangedFile>> files = git_->changes(since, result_);
  if (!files) return stop_for(files.error());
  if (files->empty() && forge_ && record_.pull_request > 0 && record_.pushed == head_) {
    result_ = head_;
    const Result<forge::LookedAt> seen = forge_->find(landed_.branch, result_);
    if (!seen) return stop_for(seen.error());
    if (seen->pr.state == "MERGED") return finish_merged(seen->pr);
  }
  if (files->empty()) {
    return Stop{"nothing", kNothing,
                "branch " + landed_.branch + " changes no file of " + landed_.base};
  }
  const Result<std::vector<std::string>> reasons =
      reasons_to_look(*git_, since, result_, *files, options_.allow_files);
  if (!reasons) return stop_for(reasons.error());
  if (!reasons->empty()) {
    return look(listed(*reasons) + "; nothing was changed: take it out, or --allow-file PATH");
  }
  if (!options_.merge) return std::nullopt;
  const Result<std::vector<std::string>> in_the_way =
      repo::files_in_the_way(repository(), landed_.base, *files);
  if (!in_the_way) return stop_for(in_the_way.error());
  if (in_the_way->empty()) return std::nullopt;
  return look(listed(*in_the_way) + " would be overwritten, and git has no copy: move it away");
}

Landing::Step Landing::plan() {
  if (!options_.dry_run) return std::nullopt;
  const Result<std::vector<std::string>> commits = git_->commits_since(base_, result_);
  if (!commits) return stop_for(commits.error());
  std::string text = std::to_string(commits->size()) + " commits of " + landed_.branch +
                     (is_dirty_ ? ", one of them of what is not committed," : "") + " onto " +
                     landed_.base + " at " + base_.substr(0, 12);
  for (const std::string& gate : gates()) text += "; gate: " + gate;
  if (options_.merge) {
    text += "; then " + landed_.base + " moves forward in " + repository();
  } else {
    text += "; then " + landed_.branch + " is pushed to " + target_->push_url +
            ", and a draft pull request of " + target_->project.slug() + " opened or updated";
  }
  return Stop{"planned", 0, text};
}

// The files first, then the branch, then git's list of them: a landing that is killed in between
// finds the rest as changes that are not committed, and the base has them, too.
Landing::Step Landing::move_worktree() {
  if (result_ == head_) return std::nullopt;
  if (Status s = git_->check_out(worktree_.path, tree_, result_); !s) {
    return Stop{"later", kLater, "its files change while it lands: " + s.error().text};
  }
  if (Status s = repo::move_branch(repository(), landed_.branch, head_, result_); !s) {
    return stop_for(s.error());
  }
  if (Status s = repo::renew_index(worktree_.path); !s) return stop_for(s.error());
  return std::nullopt;
}

std::vector<std::string> Landing::gates() const {
  const std::optional<options::RunRequest>& request = runs_.newest().request;
  return request ? request->verify : std::vector<std::string>();
}

Landing::Step Landing::run_gates() {
  const std::vector<std::string> commands = gates();
  const bool is_known =
      std::equal(commands.begin(), commands.end(), record_.gates.begin(), record_.gates.end(),
                 [](const std::string& command, const store::GateRun& gate) {
                   return command == gate.command;
                 });
  if (record_.gated == result_ && is_known) {
    landed_.gates = record_.gates;
    return std::nullopt;
  }
  if (commands.empty()) return std::nullopt;
  const std::string& cwd = runs_.newest().cwd;
  const bool is_in = cwd.starts_with(worktree_.path) && std::filesystem::is_directory(cwd);
  say(landed_.issue, "the gates run again on " + result_.substr(0, 12));
  const Result<GatesAgain> gates =
      run_gates_again(place_, runs_.newest(), worktree_.path, is_in ? cwd : worktree_.path);
  if (!gates) return stop_for(gates.error());
  landed_.gates = gates->gates;
  if (gates->code != 0) {
    return Stop{"failed", gates->code,
                "its gates did not pass on the newest " + landed_.base + " (orch show " +
                    gates->name + "): " + way_on("TEXT")};
  }
  record_.gated = result_;
  record_.gates = landed_.gates;
  return save();
}

Landing::Step Landing::publish() {
  record_.base = landed_.base;
  return options_.merge ? merge() : push();
}

Landing::Step Landing::merge() {
  if (Status s = repo::fast_forward(repository(), landed_.base, base_, result_); !s) {
    return stop_for(s.error());
  }
  record_.merged = true;
  if (Step stop = save()) return stop;
  const store::WorktreeEnd end = duties::leave_fenced(worktree_);
  if (end.kept) say(landed_.issue, "worktree kept: " + end.path + ": " + end.why);
  landed_.state = "merged";
  landed_.detail = landed_.base + " is now at " + result_.substr(0, 12);
  return std::nullopt;
}

Landing::Step Landing::push() {
  record_.forge = repository_text(target_->project);
  const Result<std::string> there = git_->branch_at(target_->push_url, landed_.branch);
  if (!there) return stop_for(there.error());
  if (*there != result_) {
    const bool is_own = there->empty() || *there == record_.pushed || *there == record_.pushing;
    const bool is_known = git_->ask({"cat-file", "-e", *there + "^{commit}"}).ok();
    const Result<bool> is_older =
        is_own || !is_known ? Result<bool>(false) : git_->is_ancestor(*there, result_);
    if (!is_older) return stop_for(is_older.error());
    if (!is_own && !*is_older) {
      return look("somebody pushed " + there->substr(0, 12) + " to " + landed_.branch +
                  ", which is not in the worktree: git -C " + base::printable(worktree_.path) +
                  " pull " + base::printable(runs_.base.push) + " " + landed_.branch);
    }
    record_.pushing = result_;
    if (Step stop = save()) return stop;
    const Status pushed = git_->push(target_->push_url, result_, landed_.branch, *there);
    // Only the server's own word counts: git may say that it is done when the connection broke.
    const Result<std::string> now = git_->branch_at(target_->push_url, landed_.branch);
    if (!now || *now != result_) {
      if (!pushed) return stop_for(pushed.error());
      return Stop{"later", kLater, "the push of " + landed_.branch + " did not arrive"};
    }
    landed_.state = "updated";
  }
  record_.pushed = result_;
  record_.pushing.clear();
  record_.merged = false;
  if (Step stop = save()) return stop;
  return open_pull_request();
}

// The end of a landing that finds its pull request merged.
Landing::Step Landing::finish_merged(const forge::PullRequest& pr) {
  record_.merged = true;
  record_.pull_request_state = "merged";
  record_.url = landed_.url = pr.url;
  landed_.pull_request = pr.number;
  if (Step stop = save()) return stop;
  worktree_.created = false;
  remove_landed(runs_, record_);
  return Stop{"merged", 0, pr.name + " is merged"};
}

Landing::Step Landing::open_pull_request() {
  const Result<forge::LookedAt> seen = forge_->find(landed_.branch, result_);
  if (!seen) return stop_for(seen.error());
  if (seen->pull_requests > 1) {
    return look(landed_.branch + " has " + std::to_string(seen->pull_requests) +
                " open pull requests: close all but one");
  }
  const std::string name = title();
  const std::string body = body_text(name);
  const bool is_open = seen->pr.state == "OPEN";
  if (seen->pr.state == "MERGED" && seen->pr.head_oid == result_) {
    return finish_merged(seen->pr);
  }
  if (seen->pr.state == "CLOSED" && seen->pr.number == record_.pull_request) {
    landed_.url = seen->pr.url;
    return look(seen->pr.name +
                " was closed without a merge: " + forge_->command_to_reopen(seen->pr));
  }
  if (!is_open) return create(name, body);
  landed_.pull_request = seen->pr.number;
  landed_.url = seen->pr.url;
  record_.pull_request = seen->pr.number;
  record_.pull_request_state = "open";
  record_.url = seen->pr.url;
  if (seen->pr.base != landed_.base) {
    say(landed_.issue,
        seen->pr.name + " is to land on " + seen->pr.base + ", not on " + landed_.base);
  }
  const bool is_ours = base::sha256_hex(seen->pr.body) == record_.body_sha256;
  if (!is_ours && landed_.state == "updated") {
    say(landed_.issue, "somebody changed the description of the pull request, and it stays");
  }
  if (landed_.state.empty()) landed_.state = "unchanged";
  if (is_ours && landed_.state == "updated") {
    if (Status s = forge_->set_body(seen->pr, body); !s) return stop_for(s.error());
    record_.body_sha256 = base::sha256_hex(body);
  }
  landed_.detail = seen->pr.name;
  return save();
}

Landing::Step Landing::create(const std::string& title, const std::string& body) {
  const Result<forge::PullRequest> pr = forge_->create({title, body, landed_.base, landed_.branch});
  if (!pr) return stop_for(pr.error());
  if (!pr->is_draft) {
    say(landed_.issue, "this repository has no drafts, so the " + pr->name + " is none");
  }
  record_.pull_request = landed_.pull_request = pr->number;
  record_.pull_request_state = "open";
  record_.url = landed_.url = pr->url;
  record_.body_sha256 = base::sha256_hex(body);
  landed_.state = "opened";
  landed_.detail = pr->name;
  return save();
}

// The title of the issue on its forge, or the first line of the prompt.
std::string Landing::title() {
  if (!title_.empty()) return title_;
  if (forge_ && !target_->number.empty()) {
    const Result<forge::Issue> issue = forge_->issue(target_->number);
    if (issue) title_ = issue::title_of(issue->title);
  }
  const std::optional<options::RunRequest>& request = runs_.runs.front().request;
  const bool is_own = runs_.base.issue_repository.empty();
  if (title_.empty() && is_own && request && request->prompt) {
    title_ = issue::title_of(*request->prompt);
  }
  if (title_.empty()) title_ = "Issue " + landed_.issue;
  return title_;
}

std::string Landing::body_text(const std::string& asked) const {
  issue::PullRequestFacts facts;
  facts.asked = asked;
  if (!target_->number.empty()) facts.closes = "#" + target_->number;
  const Result<std::string> stat =
      git_->ask({"diff", "--stat", "--no-ext-diff", "--no-textconv", base_ + "..." + result_});
  if (stat) facts.diffstat = *stat;
  facts.gates = landed_.gates;
  facts.runs = runs_.runs;
  for (const std::string& line :
       last_words(runs_.folders.back(), keyword_of(runs_.newest()), kLastLines)) {
    facts.last_words += line + "\n";
  }
  return issue::pull_request_body(facts);
}

Landing::Step Landing::save() {
  record_.issue = landed_.issue;
  record_.repository = repository();
  if (Status s = issue::write_landing(files_.record, record_); !s) return stop_for(s.error());
  return std::nullopt;
}

// A worktree that was made for the landing goes again.
void Landing::leave() {
  if (worktree_.created && landed_.state != "merged") (void)duties::leave_fenced(worktree_);
  std::error_code failure;
  std::filesystem::remove_all(files_.git, failure);
  if (base_turn_.valid()) std::filesystem::remove(base_lock_, failure);
}

}  // namespace

void remove_landed(const IssueRuns& runs, const issue::LandingRecord& record) {
  const store::RunRecord& run = runs.newest();
  repo::WorktreeRequest wanted;
  wanted.repository = run.repository;
  wanted.issue = run.issue;
  const repo::Worktree worktree = repo::planned_worktree(wanted);
  const Result<std::string> head = repo::commit_of_branch(run.repository, worktree.branch);
  if (!head || head->empty() || *head != record.pushed) return;
  if (std::filesystem::exists(worktree.path)) {
    const store::WorktreeEnd end = duties::leave_fenced(worktree);
    if (end.kept) return say(run.issue, "worktree kept: " + end.path + ": " + end.why);
  }
  // A squashed merge has other commits; the forge has these, in the pull request.
  const Result<std::string> left = repo::commit_of_branch(run.repository, worktree.branch);
  if (!left || left->empty()) return;
  const Status removed = repo::remove_branch_at(run.repository, worktree.branch, record.pushed);
  if (!removed) say(run.issue, removed.error().text);
}

Landed land_issue(const LandOptions& options, const client::Place& place, const std::string& word) {
  Landed landed;
  landed.issue = word;
  const std::optional<forge::IssueWord> named = forge::issue_of_word(word);
  if (named) landed.issue = named->number;
  Result<IssueRuns> runs = runs_of_issue(place, landed.issue);
  if (!runs) {
    landed.detail = runs.error().text;
    landed.code = runs.error().code == base::ErrorCode::kNotFound
                      ? kNoSuchSession
                      : event::exit_code(runs.error().code);
    landed.state = "refused";
    return landed;
  }
  return Landing(options, place, std::move(runs).value()).carry_out();
}

}  // namespace orch::cli
