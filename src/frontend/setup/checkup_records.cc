#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/replace.h"
#include "repo/snapshot.h"
#include "setup/checkup.h"
#include "store/run_dir.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/state_file.h"
#include "store/undo_claim.h"

namespace orch::setup {
namespace {

using State = Finding::State;

constexpr const char* kSweep = "orch gc";

void check_run(const std::string& state_dir, const store::RunFolder& run,
               std::vector<Finding>& findings) {
  const auto add = [&](State state, const std::string& text, const std::string& remedy) {
    findings.push_back({state, "runs", run.id, text, remedy});
  };
  const store::ReadRecord read = store::read_record(run);
  switch (read.state) {
    case store::RecordState::kUnreadable:
      return add(State::kBad, read.why, "see what of " + run.path + " can be saved, and remove it");
    case store::RecordState::kOtherVersion:
      return add(State::kNote, read.why, "use that orch for it");
    case store::RecordState::kNotBegun:
      return add(State::kNote, "it is just starting, or its agent was never started", kSweep);
    case store::RecordState::kWhole:
      break;
  }
  const store::RunRecord& record = read.record;
  const base::Result<store::RunStatus> now = store::status_now(state_dir, record);
  if (!now) return add(State::kBad, now.error().text, "see why that cannot be read");
  const bool runs = *now == store::RunStatus::kStarting || *now == store::RunStatus::kRunning;
  if (*now != record.status) add(State::kNote, "its host died before it wrote how it ended", "");
  const std::string snapshot = run.path + "/snapshot";
  const auto is_there = [&add](const std::string& path) {
    const store::Presence there = store::presence_of(path);
    if (there.is_unknown()) add(State::kBad, there.error().text, "see why that cannot be read");
    return there.is_present();
  };
  if (!runs && is_there(snapshot)) {
    if (store::is_absent(snapshot + "/manifest")) {
      add(State::kNote, "its snapshot was cut off, so that it cannot be undone", "");
    } else if (const base::Status whole = repo::check_snapshot(snapshot); !whole) {
      add(State::kBad, "its snapshot is damaged: " + whole.error().text,
          "it cannot be undone whole");
    }
  }
  const auto& worktree = record.verdict ? record.verdict->worktree : std::nullopt;
  if (worktree && worktree->kept && is_there(worktree->path)) {
    add(State::kNote, "its worktree is kept: " + worktree->why,
        "look, then: git -C " + base::shell_word(record.repository) + " worktree remove --force " +
            base::shell_word(worktree->path));
  }
}

void check_session(const std::string& state_dir, const store::SessionRecord& session,
                   std::vector<Finding>& findings) {
  const auto add = [&](State state, const std::string& text, const std::string& remedy) {
    findings.push_back({state, "sessions", session.key, text, remedy});
  };
  if (!session.unreadable.empty()) {
    const store::Presence host = store::host_of(state_dir, session.key);
    if (session.status == store::SessionStatus::kRunning && !host.is_present()) {
      return add(State::kBad, session.unreadable, "see why that cannot be read");
    }
    const bool held = host.is_present();
    return add(State::kBad, session.unreadable + (held ? "; its host lives" : ""),
               held ? "use the orch that wrote it" : "orch gc --forget " + session.key);
  }
  if (session.status == store::SessionStatus::kErrored && session.ended.empty()) {
    add(State::kNote, "its host is gone", kSweep);
  }
}

}  // namespace

std::vector<Finding> check_records(const std::string& state_dir) {
  std::vector<Finding> findings;
  // The list, or none and a finding if it cannot be read.
  const auto listed = [&findings](const char* topic, auto result) {
    if (result) return std::move(result).value();
    findings.push_back({State::kBad, topic, "list", result.error().text, "see why"});
    return std::remove_cvref_t<decltype(*result)>{};
  };
  const auto runs = listed("runs", store::run_folders(state_dir));
  for (const store::RunFolder& run : runs) check_run(state_dir, run, findings);
  const auto sessions = listed("sessions", store::list_sessions(state_dir));
  for (const store::SessionRecord& session : sessions) check_session(state_dir, session, findings);
  const auto unfinished = listed("sessions", store::unfinished_sessions(state_dir));
  for (const std::string& why : unfinished.unreadable) {
    findings.push_back({State::kBad, "sessions", "unfinished", why, "see why"});
  }
  for (const std::string& key : unfinished.keys) {
    const store::Presence host = store::host_of(state_dir, key);
    if (host.is_unknown()) {
      findings.push_back({State::kBad, "sessions", key, host.error().text, "see why"});
    }
    if (!host.is_absent()) continue;
    findings.push_back({State::kNote, "sessions", key, "it never started", kSweep});
  }
  for (const std::string& run : listed("undos", store::undos_cut_off(state_dir))) {
    findings.push_back({State::kNote, "undos", run, "its undo was cut off", "orch undo " + run});
  }
  findings.push_back({State::kGood, "records", "read",
                      std::to_string(runs.size()) + " runs, " + std::to_string(sessions.size()) +
                          " sessions in " + state_dir,
                      ""});
  return findings;
}

}  // namespace orch::setup
