// What orch land and orch race leave behind, and orch gc removes.
#include "cli/issue_leftovers.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "cli/landing.h"
#include "forge/forge.h"
#include "issue/landing_record.h"
#include "issue/race.h"
#include "repo/landing.h"
#include "store/file_lock.h"
#include "store/session_file.h"
#include "store/state_file.h"
#include "store/time_text.h"

namespace orch::cli {
namespace {

namespace fs = std::filesystem;

int64_t age_ms(store::TimePoint at) {
  const auto age = std::chrono::system_clock::now() - at;
  return std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

class IssueSweep {
 public:
  IssueSweep(std::string state_dir, int64_t max_age_ms, bool dry_run)
      : state_dir_(std::move(state_dir)), max_age_ms_(max_age_ms), dry_run_(dry_run) {}

  std::vector<IssueLeftover> carry_out() {
    each_key("/races", [this](const std::string& key) { race(key); });
    each_key("/landings", [this](const std::string& key) { landing(key); });
    return std::move(found_);
  }

 private:
  template <typename Take>
  void each_key(const char* folder, const Take& take) const {
    const auto names = store::names_in_folder(state_dir_ + folder);
    if (!names) return;  // there was none
    constexpr std::string_view kEnd = ".json";
    for (const std::string& name : *names) {
      if (name.ends_with(kEnd)) take(name.substr(0, name.size() - kEnd.size()));
    }
  }

  // Removes the files of a record that nobody holds.
  void remove(IssueLeftover leftover, const std::string& record, const std::string& lock,
              const std::string& git) {
    const base::Fd turn = store::try_lock(lock);
    if (!turn.valid()) return;
    if (!dry_run_) {
      std::error_code failure;
      fs::remove_all(git, failure);
      if (!failure) fs::remove(record, failure);
      if (!failure) fs::remove(lock, failure);
      if (failure) leftover.error = failure.message();
    }
    found_.push_back(std::move(leftover));
  }

  // Whether the branch is gone now, or would be.
  bool remove_loser(const issue::RaceRecord& race, const issue::Racer& racer) {
    const std::string branch = "orch/" + racer.name;
    const auto at = repo::commit_of_branch(race.repository, branch);
    if (!at) return false;
    if (at->empty()) return true;
    if (*at != racer.left) return false;  // somebody went on with it
    if (fs::exists(race.repository + ".orch/" + racer.name)) return false;
    IssueLeftover leftover{"branch", branch, "which lost the race of " + race.issue, ""};
    if (!dry_run_) {
      const base::Status removed = repo::remove_branch_at(race.repository, branch, racer.left);
      if (!removed) leftover.error = removed.error().text;
    }
    found_.push_back(leftover);
    return leftover.error.empty();
  }

  void race(const std::string& key) {
    const issue::RaceFiles files = issue::race_files(state_dir_, key);
    const auto race = issue::read_race(files.record);
    if (!race.is_present()) return;
    const std::string name = race->issue;
    if (store::presence_of(race->repository).is_absent()) {
      return remove({"race", name, "whose repository is gone", ""}, files.record, files.lock,
                    files.git);
    }
    const auto ended = store::parse_rfc3339_utc(race->ended);
    if (!ended) return;  // it goes on, or was killed: its branches are the user's
    const bool is_old = age_ms(*ended) >= max_age_ms_;
    if (!is_old && !is_merged(*race)) return;
    bool is_empty = true;
    for (const issue::Racer& racer : race->racers) {
      if (racer.left.empty()) continue;
      if (!remove_loser(*race, racer)) is_empty = false;
    }
    const auto winner = repo::commit_of_branch(race->repository, "orch/" + race->winner);
    const bool is_won = !race->winner.empty() && (!winner || !winner->empty());
    if (!is_empty || is_won || !is_old) return;
    remove({"race", name, "which has no branch", ""}, files.record, files.lock, files.git);
  }

  bool is_merged(const issue::RaceRecord& race) const {
    if (race.winner.empty()) return false;
    const std::string key = store::session_key(race.winner, race.repository);
    const auto landing = issue::read_landing(issue::landing_files(state_dir_, key).record);
    return landing.is_present() && landing->merged;
  }

  // Whether the forge has merged the pull request. Once it does not answer it is asked no more.
  bool has_been_merged(const IssueRuns& runs, const issue::LandingRecord& record) {
    const base::Result<ForgeOfIssue> target = forge_of(runs, {});
    if (!target || is_forge_silent_) return false;
    const auto seen = forge::open_forge(target->project, target->source)
                          ->find("orch/" + record.issue, record.pushed);
    if (!seen) {
      is_forge_silent_ = true;
      std::fprintf(stderr, "orch: whether pull requests are merged was not asked: %s\n",
                   base::printable(seen.error().text).c_str());
      return false;
    }
    return seen->pr.number == record.pull_request && seen->pr.state == "MERGED" &&
           seen->pr.head_oid == record.pushed;
  }

  // Removes worktree and branch of an issue of which the pull request was merged since the last
  // look.
  void finish_landing(const issue::LandingFiles& files, issue::LandingRecord record) {
    if (record.merged || record.pull_request_state != "open") return;
    const std::string branch = "orch/" + record.issue;
    const auto at = repo::commit_of_branch(record.repository, branch);
    if (!at || *at != record.pushed) return;  // gone, or somebody went on with it
    const base::Fd turn = store::try_lock(files.lock);
    if (!turn.valid()) return;
    const auto runs =
        runs_of_issue({state_dir_, record.repository, record.repository}, record.issue);
    if (!runs || !has_been_merged(*runs, record)) return;
    IssueLeftover leftover{"branch", branch, "whose pull request is merged", ""};
    if (!dry_run_) {
      record.merged = true;
      record.pull_request_state = "merged";
      if (base::Status s = issue::write_landing(files.record, record); !s) {
        leftover.error = s.error().text;
      } else {
        remove_landed(*runs, record);
      }
    }
    found_.push_back(leftover);
  }

  void landing(const std::string& key) {
    const issue::LandingFiles files = issue::landing_files(state_dir_, key);
    const auto record = issue::read_landing(files.record);
    if (!record.is_present()) return;
    finish_landing(files, *record);
    std::string why;
    if (store::presence_of(record->repository).is_absent()) {
      why = "whose repository is gone";
    } else if (record->merged) {
      const auto branch = repo::commit_of_branch(record->repository, "orch/" + record->issue);
      const auto changed = store::time_of_change(files.record);
      const bool is_old = changed.is_present() && age_ms(*changed) >= max_age_ms_;
      if (branch && branch->empty() && is_old) why = "which is merged";
    }
    if (why.empty()) return;
    remove({"landing", record->issue, why, ""}, files.record, files.lock, files.git);
  }

  std::string state_dir_;
  int64_t max_age_ms_;
  bool dry_run_;
  bool is_forge_silent_ = false;
  std::vector<IssueLeftover> found_;
};

}  // namespace

std::vector<IssueLeftover> sweep_issues(const std::string& state_dir, int64_t max_age_ms,
                                        bool dry_run) {
  return IssueSweep(state_dir, max_age_ms, dry_run).carry_out();
}

}  // namespace orch::cli
