#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "pty/process_identity.h"
#include "store/held_folder.h"

namespace orch::store {

enum class SessionStatus : uint8_t {
  kQueued,  // it waits for a slot of its host (queued_session.h), and has no run yet
  kRunning,
  kStopped,
  kErrored,
};
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
  std::string manager;         // native, tmux, zellij
  std::string manager_reason;  // why that one
  std::string manager_server;  // of tmux: the label of its socket; else ""
  SessionStatus status = SessionStatus::kRunning;
  std::string agent;
  std::vector<std::string> command;
  std::string cwd;
  std::string repository;
  std::string run;      // its id
  std::string run_dir;  // its folder
  std::string socket;   // a path; "" when it serves none
  // kQueued: a path; the worktree that its host makes for it when its turn comes. "": none, or it
  // was there before.
  std::string worktree;
  pty::ProcessIdentity host;
  std::string started;      // kQueued: since when it waits
  std::string ended;        // "" while it runs; else it failed, and is kept to be looked at
  int64_t keep_for_ms = 0;  // after its end
  // Why the file cannot be read, one line: it is damaged, or of another version. Then the rest is
  // what can be told of it all the same. "": it is whole.
  std::string unreadable;
  bool operator==(const SessionRecord&) const = default;
};
std::string to_json(const SessionRecord& record);
base::Result<SessionRecord> session_record_from_json(std::string_view text);

// A session that runs: its file, and a lock on it that lasts as long as the process lives, however
// it ends. The file alone proves nothing; the lock does. A shared disk may lose locks, or keep them
// from other machines: then what the file says of its host tells whether it is gone.
class SessionFile {
 public:
  // Takes the session's place in `state_dir`. kUsage when it runs already (the error names its host
  // and the remedy). Two that try at once: one gets it.
  static base::Result<std::unique_ptr<SessionFile>> claim(const std::string& state_dir,
                                                          const std::string& key);
  // Removes the file, unless it is another host's by now; where none was written also the folders
  // that were made for it.
  ~SessionFile();

  base::Status write(const SessionRecord& record);
  // The session has ended and stays in its place, as this record has it, until another takes it.
  base::Status leave(const SessionRecord& record);

 private:
  SessionFile(const std::string& state_dir, std::string key, base::Fd lock,
              std::vector<std::string> created);
  std::string path() const;

  HeldFolder folder_;
  std::string key_;
  base::Fd lock_;
  std::vector<std::string> created_;
  std::string run_;  // "" until it is written
  bool stays_ = false;
};

// The sessions of a state directory, by start. kErrored are those whose host is known to be gone:
// of one in another container or on another machine only its lock tells, and only where the disk's
// locks can be relied on. A file that cannot be read is listed as its lock says, and as far as it
// is known. What waited for a host that is gone is not.
std::vector<SessionRecord> list_sessions(const std::string& state_dir);
std::optional<SessionRecord> session_of(const std::string& state_dir, const std::string& key);

// Whether somebody holds the session's lock now.
bool is_held(const std::string& state_dir, const std::string& key);

// Who says that a host is gone.
enum class Witness : uint8_t {
  kSystem,  // as list_sessions() knows it
  kPerson,  // of one in another container or on another machine, whose lock nobody is seen to hold
};

// What waited for a slot of a host that is gone; nothing where it does not wait, or its host lives.
std::optional<SessionRecord> waited_for_dead_host(const std::string& state_dir,
                                                  const std::string& key);

// The keys of which there is a lock or the beginning of a file, but no file: of hosts that are just
// starting, or died so. And those that waited for a slot of a host that is gone.
std::vector<std::string> unfinished_sessions(const std::string& state_dir);

// What hosts that died had begun to write in place of a session's file.
void remove_unfinished_files(const std::string& state_dir);

// The files of a session in `state_dir`.
struct SessionPaths {
  std::string record, lock;
};
SessionPaths session_paths(const std::string& state_dir, const std::string& key);
// Takes a session's lock for a moment; empty when somebody else holds it.
base::Fd lock_session(const std::string& state_dir, const std::string& key);

// Removes the file of `key` when its host is gone, and before that, by `remove_socket`, the socket
// that it names. False when it may live.
bool remove_dead_session(const std::string& state_dir, const std::string& key,
                         const std::function<void(const std::string& path)>& remove_socket,
                         Witness witness = Witness::kSystem);

}  // namespace orch::store
