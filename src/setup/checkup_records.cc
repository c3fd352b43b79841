#include <filesystem>
#include <system_error>

#include "repo/snapshot.h"
#include "setup/checkup.h"
#include "store/run_dir.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/undo_claim.h"

namespace orch::setup {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

constexpr const char* kSweep = "orch gc";

bool is_there(const std::string& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

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
  const store::RunStatus now = store::status_now(state_dir, record);
  const bool runs = now == store::RunStatus::kStarting || now == store::RunStatus::kRunning;
  if (now != record.status) add(State::kNote, "its host died before it wrote how it ended", "");
  const std::string snapshot = run.path + "/snapshot";
  if (!runs && is_there(snapshot)) {
    if (!is_there(snapshot + "/manifest")) {
      add(State::kNote, "its snapshot was cut off, so that it cannot be undone", "");
    } else if (const base::Status whole = repo::check_snapshot(snapshot); !whole) {
      add(State::kBad, "its snapshot is damaged: " + whole.error().text,
          "it cannot be undone whole");
    }
  }
  const auto& worktree = record.verdict ? record.verdict->worktree : std::nullopt;
  if (worktree && worktree->kept && is_there(worktree->path)) {
    add(State::kNote, "its worktree is kept: " + worktree->why,
        "look, then: git worktree remove " + worktree->path);
  }
}

void check_session(const std::string& state_dir, const store::SessionRecord& session,
                   std::vector<Finding>& findings) {
  const auto add = [&](State state, const std::string& text, const std::string& remedy) {
    findings.push_back({state, "sessions", session.key, text, remedy});
  };
  if (!session.unreadable.empty()) {
    const bool held = store::is_held(state_dir, session.key);
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
  const std::vector<store::RunFolder> runs = store::run_folders(state_dir);
  for (const store::RunFolder& run : runs) check_run(state_dir, run, findings);
  const std::vector<store::SessionRecord> sessions = store::list_sessions(state_dir);
  for (const store::SessionRecord& session : sessions) check_session(state_dir, session, findings);
  for (const std::string& key : store::unfinished_sessions(state_dir)) {
    if (store::is_held(state_dir, key)) continue;
    findings.push_back({State::kNote, "sessions", key, "it never started", kSweep});
  }
  for (const std::string& run : store::undos_cut_off(state_dir)) {
    findings.push_back({State::kNote, "undos", run, "its undo was cut off", "orch undo " + run});
  }
  findings.push_back({State::kGood, "records", "read",
                      std::to_string(runs.size()) + " runs, " + std::to_string(sessions.size()) +
                          " sessions in " + state_dir,
                      ""});
  return findings;
}

}  // namespace orch::setup
