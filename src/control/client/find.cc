#include "client/find.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/name.h"
#include "store/issue_name.h"
#include "store/state_file.h"

namespace orch::client {

using base::Result;
using store::SessionRecord;
using store::SessionStatus;

namespace {

// A session or a run that a word may mean.
struct Candidate {
  std::string issue, repository, folder;
  std::string run;
  std::string unreadable;  // why the run's record cannot be read; "" if it was read
  std::string key = store::session_key(issue, repository);
};

bool is_issue(const std::string& word, const std::string& issue) {
  return word == issue || word == store::session_name(issue);
}

// It is not known where the run was started, so it may belong to any repository.
bool may_be_anywhere(const Candidate& it) {
  return !it.unreadable.empty() && (it.repository.empty() || it.folder.empty());
}

base::Error newest_unknown(const std::string& of, const std::string& run, const std::string& why) {
  return base::usage_error("which run" + of + " is the newest is not known: of run " + run + " " +
                           why + "; name the run that you mean by its id, see orch runs");
}

// The index of the first candidate in the best category that fits; kNotFound without a text if none
// fits. A candidate that cannot be read is never skipped, unless the word is the id of another one.
Result<size_t> choose(const Place& place, const std::string& word, Reach reach,
                      const std::vector<Candidate>& candidates) {
  const auto first = [&candidates](const auto& fits) -> std::optional<size_t> {
    const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
    if (found == candidates.end()) return std::nullopt;
    return static_cast<size_t>(found - candidates.begin());
  };
  const auto by_id = [&](const Candidate& it) { return it.run == word; };
  const auto by_key = [&](const Candidate& it) { return it.key == word; };
  const auto of_repository = [&](const Candidate& it) {
    return is_issue(word, it.issue) && it.key == store::session_key(it.issue, place.repository);
  };
  const auto of_folder = [&](const Candidate& it) {
    return is_issue(word, it.issue) && is_here(place, it.repository, it.folder);
  };
  if (const auto found = first(by_id)) return *found;
  const std::optional<size_t> unknown = first(may_be_anywhere);
  const auto chosen = [&](size_t found) -> Result<size_t> {
    const Candidate& doubtful = candidates[std::min(found, unknown.value_or(found))];
    if (doubtful.unreadable.empty()) return found;
    return newest_unknown(" of " + word, doubtful.run, doubtful.unreadable);
  };
  if (const auto found = first(by_key)) return chosen(*found);
  if (const auto found = first(of_repository)) return chosen(*found);
  if (const auto found = first(of_folder)) return chosen(*found);
  if (unknown) return chosen(*unknown);

  const auto fits = [&](const Candidate& it) { return is_issue(word, it.issue); };
  const std::optional<size_t> other = first(fits);
  if (!other) return base::Error{base::ErrorCode::kNotFound, ""};
  std::set<std::string> keys;
  for (const Candidate& it : candidates) {
    if (fits(it)) keys.insert(it.key);
  }
  if (keys.size() > 1) {
    std::string text = word + " is an issue of several repositories; name one of them in full:";
    for (const std::string& key : keys) text += " " + key;
    return base::usage_error(text);
  }
  if (reach == Reach::kEverywhere) return chosen(*other);
  const Candidate& it = candidates[*other];
  return base::usage_error(store::session_name(it.issue) + " belongs to " + it.repository +
                           "; name it in full: " + it.key);
}

Candidate candidate_of(const SessionRecord& session) {
  return {session.issue, session.repository, session.cwd, session.run, "", session.key};
}

base::Error queued_error(const SessionRecord& session) {
  return {base::ErrorCode::kNotFound,
          session.name + " is queued: it begins when a slot of its host is free"};
}

// Why the run's record could not be read; "" if it was read, or if the run has not begun.
std::string doubt_of(const store::ReadRecord& read) {
  return read.state == store::RecordState::kNotBegun ? "" : read.why;
}

// Whether the session is running; other sessions here have failed and are kept.
bool runs(const Found& found) {
  return found.session && found.session->status == SessionStatus::kRunning;
}

// The running sessions first, then by the age of their runs, the newest first: a failed session
// that is kept may belong to an older run than the newest.
Result<std::vector<Found>> sessions_with_runs(const std::string& state_dir) {
  Result<std::vector<SessionRecord>> listed = store::list_sessions(state_dir);
  if (!listed) return listed.error();
  std::vector<Found> sessions;
  for (SessionRecord& session : *listed) {
    if (session.status == SessionStatus::kQueued) continue;  // it has no run yet
    if (session.run.empty()) continue;                       // its run is not known
    const std::string folder = state_dir + "/runs/" + session.run;
    store::RunFolder run{folder, session.run, session.issue};
    sessions.push_back({std::move(run), std::move(session)});
  }
  std::stable_sort(sessions.begin(), sessions.end(), [](const Found& a, const Found& b) {
    if (runs(a) != runs(b)) return runs(a);
    return a.run.id > b.run.id;
  });
  return sessions;
}

// Finds the run that a word means. Candidates are added in the order of likelihood, and no more
// records are read than are needed to decide.
class RunSearch {
 public:
  RunSearch(const Place& place, const std::string& word)
      : place_(place), word_(word), name_(word.substr(0, word.find('@'))) {}

  bool decided() const { return decided_; }

  void consider(const Found& session) {
    if (decided_) return;
    Candidate it = candidate_of(*session.session);
    if (!runs(session) && is_issue(name_, it.issue)) {
      it.unreadable = doubt_of(store::read_record(session.run));
    }
    add(session, std::move(it));
  }
  void consider(store::RunFolder run) {
    issues_.push_back(run.issue);
    if (decided_ || !is_issue(name_, run.issue)) return;
    const store::ReadRecord read = store::read_record(run);
    if (read.state == store::RecordState::kNotBegun) return;
    Candidate it{run.issue, read.record.repository, read.record.cwd, run.id, doubt_of(read)};
    add({std::move(run), std::nullopt}, std::move(it));
  }

  Result<Found> chosen(Reach reach) {
    const Result<size_t> which = choose(place_, word_, reach, candidates_);
    if (which) return std::move(found_[*which]);
    if (which.error().code != base::ErrorCode::kNotFound) return which.error();
    const Result<SessionRecord> session = find_session(place_, word_, reach);
    if (session && session->status == SessionStatus::kQueued) return queued_error(*session);
    // Its worker runs and tests are runs, under names of their own.
    const bool is_task = base::is_name(word_) &&
                         store::presence_of(place_.state_dir + "/tasks/" + word_).is_present();
    if (is_task) {
      return base::Error{base::ErrorCode::kNotFound, word_ + " is a task: orch task --status " +
                                                         word_ + "; its runs: orch runs --summary"};
    }
    return base::Error{base::ErrorCode::kNotFound,
                       word_ + " has neither a session nor a run; see orch sessions and orch runs" +
                           base::did_you_mean(word_, {issues_.begin(), issues_.end()})};
  }

 private:
  // A candidate of this repository, or with the full name that was given, decides: later ones
  // cannot be meant.
  void add(Found found, Candidate it) {
    const std::string key =
        name_ == word_ ? store::session_key(it.issue, place_.repository) : word_;
    decided_ = it.key == key && is_issue(name_, it.issue);
    candidates_.push_back(std::move(it));
    found_.push_back(std::move(found));
  }

  const Place& place_;
  const std::string& word_;
  const std::string name_;
  std::vector<Found> found_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> issues_;  // of all runs that were looked at
  bool decided_ = false;
};

// The newest run of this repository, with its session if it has one.
Result<Found> newest_found(const Place& place) {
  Result<store::RunFolder> newest = newest_run_here(place, [](const auto&) { return base::Ok{}; });
  if (!newest) return newest.error();
  Result<std::vector<Found>> sessions = sessions_with_runs(place.state_dir);
  if (!sessions) return sessions.error();
  for (Found& found : *sessions) {
    if (found.run.id == newest->id) return std::move(found);
  }
  return Found{std::move(newest).value(), std::nullopt};
}

}  // namespace

bool is_here(const Place& place, const std::string& repository, const std::string& folder) {
  return !place.folder.empty() && (repository == place.repository || folder == place.folder);
}

Result<SessionRecord> find_session(const Place& place, const std::string& as_written, Reach reach) {
  const std::string word = base::without_number_sign(as_written);
  Result<std::vector<SessionRecord>> listed = store::list_sessions(place.state_dir);
  if (!listed) return listed.error();
  std::vector<SessionRecord>& sessions = *listed;
  std::vector<Candidate> candidates;
  candidates.reserve(sessions.size());
  for (const SessionRecord& session : sessions) candidates.push_back(candidate_of(session));
  const Result<size_t> chosen = choose(place, word, reach, candidates);
  if (chosen) return std::move(sessions[*chosen]);
  if (chosen.error().code != base::ErrorCode::kNotFound) return chosen.error();
  std::vector<std::string_view> issues;
  issues.reserve(sessions.size());
  for (const SessionRecord& session : sessions) issues.push_back(session.issue);
  return base::Error{base::ErrorCode::kNotFound, "no session for " + word + "; see orch sessions" +
                                                     base::did_you_mean(word, issues)};
}

Result<SessionRecord> find_running(const Place& place, const std::string& word, Reach reach) {
  Result<SessionRecord> session = find_session(place, word, reach);
  if (!session || session->status == SessionStatus::kRunning) return session;
  if (session->status == SessionStatus::kQueued) return queued_error(*session);
  const std::string why = session->ended.empty() ? " is gone: its host died" : " has failed";
  return base::Error{base::ErrorCode::kNotFound,
                     session->name + why + "; see orch status " + session->issue};
}

Result<Found> find_run(const Place& place, const std::string& as_written, Reach reach) {
  const std::string word = base::without_number_sign(as_written);
  Result<std::vector<Found>> with_runs = sessions_with_runs(place.state_dir);
  if (!with_runs) return with_runs.error();
  Result<std::vector<store::RunFolder>> all_runs = store::run_folders(place.state_dir);
  if (!all_runs) return all_runs.error();
  std::vector<Found>& sessions = *with_runs;
  std::vector<store::RunFolder>& folders = *all_runs;
  const auto meant = std::find_if(folders.begin(), folders.end(),
                                  [&word](const auto& run) { return run.id == word; });
  if (meant != folders.end()) {  // the id decides, whatever the record says
    for (Found& found : sessions) {
      if (found.run.id == word) return std::move(found);
    }
    return Found{std::move(*meant), std::nullopt};
  }
  RunSearch search(place, word);
  auto session = sessions.begin();
  for (; session != sessions.end() && runs(*session); ++session) search.consider(*session);
  for (auto run = folders.rbegin(); !search.decided() && run != folders.rend(); ++run) {
    for (; session != sessions.end() && session->run.id >= run->id; ++session) {
      search.consider(*session);
    }
    search.consider(std::move(*run));
  }
  for (; session != sessions.end(); ++session) search.consider(*session);
  return search.chosen(reach);
}

Result<Found> find_shown(const Place& place, const std::string& word) {
  return word.empty() ? newest_found(place) : find_run(place, word, Reach::kEverywhere);
}

Result<store::RunFolder> newest_run_here(
    const Place& place, const std::function<store::Presence(const store::RunFolder&)>& fits) {
  Result<std::vector<store::RunFolder>> runs = store::run_folders(place.state_dir);
  if (!runs) return runs.error();
  for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
    const store::Presence fitting = fits(*run);
    if (fitting.is_unknown()) return fitting.error();
    if (fitting.is_absent()) continue;
    const store::ReadRecord read = store::read_record(*run);
    if (read.state == store::RecordState::kNotBegun) continue;
    const Candidate it{run->issue, read.record.repository, read.record.cwd, run->id, read.why};
    if (!may_be_anywhere(it) && !is_here(place, it.repository, it.folder)) continue;
    if (!it.unreadable.empty()) return newest_unknown(" here", it.run, it.unreadable);
    return std::move(*run);
  }
  return base::Error{base::ErrorCode::kNotFound,
                     "this repository has no run yet; begin one: orch run \"fix the bug\""};
}

}  // namespace orch::client
