#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

enum class SessionStatus : uint8_t { kRunning, kStopped, kErrored };
std::string_view name(SessionStatus status);
std::optional<SessionStatus> session_status_named(std::string_view name);

// "orch-42@1f3c09ab": a session's name and, since #42 of two projects are two sessions, eight
// digits of a hash (FNV-1a) of its repository's path.
std::string session_key(std::string_view issue, std::string_view repository);

// sessions/<key>.json: what is known of a session from outside of it. Times are RFC 3339, UTC.
struct SessionRecord {
  std::string key;
  std::string name;  // "orch-42"
  std::string issue;
  std::string manager;  // native, tmux, zellij
  SessionStatus status = SessionStatus::kRunning;
  std::string agent;
  std::vector<std::string> command;
  std::string cwd;
  std::string repository;
  std::string run;      // its id
  std::string run_dir;  // its folder
  std::string socket;   // a path; "" when it serves none
  pid_t pid = 0;        // of the host
  std::string started;
  bool operator==(const SessionRecord&) const = default;
};
std::string to_json(const SessionRecord& record);
base::Result<SessionRecord> session_record_from_json(std::string_view text);

// A session that runs: its file, and a lock on it that lasts as long as the process lives, however
// it ends. The file alone proves nothing; the lock does.
class SessionFile {
 public:
  // Takes the session's place in `state_dir`. kUsage when it runs already (the error names its pid
  // and the remedy). Two that try at once: one gets it.
  static base::Result<std::unique_ptr<SessionFile>> claim(const std::string& state_dir,
                                                          const std::string& key);
  // Removes the file; where none was written also the folders that were made for it.
  ~SessionFile();

  base::Status write(const SessionRecord& record);

 private:
  SessionFile(std::string path, base::Fd lock, std::vector<std::string> created);

  std::string path_;
  base::Fd lock_;
  std::vector<std::string> created_;
  bool written_ = false;
};

// The sessions of a state directory, by start; of those whose host is gone the status is kErrored.
// Unreadable files are skipped.
std::vector<SessionRecord> list_sessions(const std::string& state_dir);

// Removes what a dead host left: the file of `key`, and its socket. False when it lives.
bool remove_dead_session(const std::string& state_dir, const std::string& key);

}  // namespace orch::store
