#include "client/find.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "store/issue_name.h"

namespace orch::client {

using base::Result;
using store::SessionRecord;
using store::SessionStatus;

namespace {

// What a word may mean, a session or a run.
struct Candidate {
  std::string issue, repository, folder;
  std::string run;

  std::string key() const { return store::session_key(issue, repository); }
};

bool is_issue(const std::string& word, const std::string& issue) {
  return word == issue || word == store::session_name(issue);
}

// The first of `candidates` that fits best; kNotFound without a text when none fits.
Result<size_t> choose(const Place& place, const std::string& word, Reach reach,
                      const std::vector<Candidate>& candidates) {
  const auto first = [&candidates](const auto& fits) -> std::optional<size_t> {
    const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
    if (found == candidates.end()) return std::nullopt;
    return static_cast<size_t>(found - candidates.begin());
  };
  const auto in_full = [&](const Candidate& it) { return it.run == word || it.key() == word; };
  const auto of_repository = [&](const Candidate& it) {
    return is_issue(word, it.issue) && it.repository == place.repository;
  };
  const auto of_folder = [&](const Candidate& it) {
    return is_issue(word, it.issue) && is_here(place, it.repository, it.folder);
  };
  if (const auto found = first(in_full)) return *found;
  if (const auto found = first(of_repository)) return *found;
  if (const auto found = first(of_folder)) return *found;

  const auto fits = [&](const Candidate& it) { return is_issue(word, it.issue); };
  const std::optional<size_t> other = first(fits);
  if (!other) return base::Error{base::ErrorCode::kNotFound, ""};
  std::set<std::string> keys;
  for (const Candidate& it : candidates) {
    if (fits(it)) keys.insert(it.key());
  }
  if (keys.size() > 1) {
    std::string text = word + " is an issue of several repositories; name one of them in full:";
    for (const std::string& key : keys) text += " " + key;
    return base::usage_error(text);
  }
  if (reach == Reach::kEverywhere) return *other;
  const Candidate& it = candidates[*other];
  const bool is_known = !it.repository.empty();  // a run's record may not be readable
  return base::usage_error(store::session_name(it.issue) + " belongs to " +
                           (is_known ? it.repository : "another repository") +
                           "; name it in full: " + (is_known ? it.key() : it.run));
}

Candidate candidate_of(const SessionRecord& session) {
  return {session.issue, session.repository, session.cwd, session.run};
}

}  // namespace

bool is_here(const Place& place, const std::string& repository, const std::string& folder) {
  return !place.folder.empty() && (repository == place.repository || folder == place.folder);
}

Result<SessionRecord> find_session(const Place& place, const std::string& word, Reach reach) {
  std::vector<SessionRecord> sessions = store::list_sessions(place.state_dir);
  std::vector<Candidate> candidates;
  candidates.reserve(sessions.size());
  for (const SessionRecord& session : sessions) candidates.push_back(candidate_of(session));
  const Result<size_t> chosen = choose(place, word, reach, candidates);
  if (chosen) return std::move(sessions[*chosen]);
  if (chosen.error().code != base::ErrorCode::kNotFound) return chosen.error();
  return base::Error{base::ErrorCode::kNotFound, "no session for " + word + "; see orch sessions"};
}

Result<SessionRecord> find_running(const Place& place, const std::string& word, Reach reach) {
  Result<SessionRecord> session = find_session(place, word, reach);
  if (!session || session->status == SessionStatus::kRunning) return session;
  if (session->status == SessionStatus::kQueued) {
    return base::Error{base::ErrorCode::kNotFound,
                       session->name + " is queued: it begins when a slot of its host is free"};
  }
  const std::string why = session->ended.empty() ? " is gone: its host died" : " has failed";
  return base::Error{base::ErrorCode::kNotFound,
                     session->name + why + "; see orch status " + session->issue};
}

Result<Found> find_run(const Place& place, const std::string& word, Reach reach) {
  std::vector<std::pair<Candidate, Found>> all;
  for (SessionRecord& session : store::list_sessions(place.state_dir)) {
    if (session.status == SessionStatus::kQueued) continue;  // it has no run yet
    const std::string folder = place.state_dir + "/runs/" + session.run;
    Candidate candidate = candidate_of(session);
    store::RunFolder run{folder, session.run, session.issue};
    all.emplace_back(std::move(candidate), Found{std::move(run), std::move(session)});
  }
  const std::string name = word.substr(0, word.find('@'));
  for (store::RunFolder& run : store::run_folders(place.state_dir)) {
    if (run.id != word && !is_issue(name, run.issue)) continue;
    const std::optional<store::RunRecord> record = store::record_of(run);
    Candidate candidate{run.issue, record ? record->repository : "", record ? record->cwd : "",
                        run.id};
    all.emplace_back(std::move(candidate), Found{std::move(run), std::nullopt});
  }
  // A session that failed and is kept may be of an older run than the newest.
  const auto runs = [](const Found& found) {
    return found.session && found.session->status == SessionStatus::kRunning;
  };
  std::stable_sort(all.begin(), all.end(), [&runs](const auto& a, const auto& b) {
    if (runs(a.second) != runs(b.second)) return runs(a.second);
    return a.second.run.id > b.second.run.id;
  });
  std::vector<Candidate> candidates;
  candidates.reserve(all.size());
  for (const auto& [candidate, found] : all) candidates.push_back(candidate);
  const Result<size_t> chosen = choose(place, word, reach, candidates);
  if (chosen) return std::move(all[*chosen].second);
  if (chosen.error().code != base::ErrorCode::kNotFound) return chosen.error();
  return base::Error{base::ErrorCode::kNotFound,
                     word + " has neither a session nor a run in " + place.state_dir};
}

std::optional<store::RunFolder> newest_run_here(
    const Place& place, const std::function<bool(const store::RunFolder&)>& fits) {
  std::vector<store::RunFolder> runs = store::run_folders(place.state_dir);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!fits(*run)) continue;
    const std::optional<store::RunRecord> record = store::record_of(*run);
    if (record && is_here(place, record->repository, record->cwd)) return std::move(*run);
  }
  return std::nullopt;
}

}  // namespace orch::client
