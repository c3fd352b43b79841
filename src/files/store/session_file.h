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
#include "store/found.h"
#include "store/held_folder.h"

namespace orch::store {

enum class SessionStatus : uint8_t {
  kQueued,  // it waits for a slot of its host (queued_session.h) and has no run yet
  kRunning,
  kStopped,
  kErrored,
};
std::string_view name(SessionStatus status);
std::optional<SessionStatus> session_status_named(std::string_view name);

// "orch-42@1f3c09ab": the session's name and eight digits of a hash (FNV-1a) of the repository's
// path, because issue 42 of two projects means two sessions.
std::string session_key(std::string_view issue, std::string_view repository);

// The content of sessions/<key>.json: a session as others see it. Times are RFC 3339, UTC.
struct SessionRecord {
  std::string key;
  std::string name;  // "orch-42"
  std::string issue;
  std::string manager;         // native, tmux, zellij
  std::string manager_reason;  // why that one was chosen
  std::string manager_server;  // tmux: the label of its socket; otherwise ""
  SessionStatus status = SessionStatus::kRunning;
  std::string agent;
  std::vector<std::string> command;
  std::string cwd;
  std::string repository;
  std::string run;      // its id
  std::string run_dir;  // its folder
  std::string socket;   // a path; "" if it serves none
  // kQueued: the path of the worktree that the host makes for the session when its turn comes. "":
  // none, or it existed before.
  std::string worktree;
  pty::ProcessIdentity host;
  std::string started;  // kQueued: the beginning of its wait
  std::string ended;    // "" while it runs; otherwise it has failed, and is kept to be looked at
  int64_t keep_for_ms = 0;  // after `ended`
  // Why the file cannot be read, in one line: it is damaged, of another version, or refused by the
  // system, or its lock is. The other members are then the known part. "": it is fine.
  std::string unreadable;
  bool operator==(const SessionRecord&) const = default;
};
std::string to_json(const SessionRecord& record);
base::Result<SessionRecord> session_record_from_json(std::string_view text);

// The file of a session that runs, and a lock on it that lasts as long as the process, however that
// ends. Only the lock proves that the session runs. A shared disk may lose locks, or hide them from
// other machines: then the file's facts about the host decide whether it is gone, and a host of
// another machine may live until the user says that it does not.
class SessionFile {
 public:
  // Takes the session's place in `state_dir`. kUsage if the session runs already, or may; the error
  // names its host and the remedy. Of two processes that try at once one gets it.
  static base::Result<std::unique_ptr<SessionFile>> claim(const std::string& state_dir,
                                                          const std::string& key);
  // Removes the file, unless it is another host's by now; if none was written, also the folders
  // that were created for it.
  ~SessionFile();

  base::Status write(const SessionRecord& record);
  // The session has ended, and its file stays, with this record, until another session takes the
  // place.
  base::Status leave(const SessionRecord& record);

 private:
  SessionFile(const std::string& state_dir, std::string key, base::Fd lock,
              std::vector<std::string> created);
  std::string path() const;

  HeldFolder folder_;
  std::string key_;
  base::Fd lock_;
  std::vector<std::string> created_;
  std::string run_;  // id of the run that write() has written; "" before
  bool stays_ = false;
};

// The sessions of a state directory, sorted by their start. kErrored: the host is known to be gone.
// For a host in another container or on another machine only the lock proves that, and only if the
// disk's locks are reliable. For a damaged file the lock decides, and the record has the known
// part. A session whose file or lock the system does not let us read may run (kRunning,
// `unreadable`). Sessions that wait for a host that is gone are left out. An error if the folder of
// sessions cannot be listed; none if it does not exist.
base::Result<std::vector<SessionRecord>> list_sessions(const std::string& state_dir);
// One session, but unknown if the system does not let us read its file or lock. Also absent if it
// waits for a host that is gone.
Found<SessionRecord> session_of(const std::string& state_dir, const std::string& key);
// The record as it was written, whether or not its host lives; of a damaged file the readable part.
Found<SessionRecord> written_session(const std::string& state_dir, const std::string& key);

// Whether a host may live although nobody is seen to hold the lock of its session: it lives here,
// or is elsewhere and the disk may not show its lock.
bool may_live_unlocked(const std::string& state_dir, const pty::ProcessIdentity& host);
// Whether somebody holds the session's lock.
Presence host_of(const std::string& state_dir, const std::string& key);

// The authority for the claim that a host is gone.
enum class Witness : uint8_t {
  kSystem,  // the system's, as for list_sessions()
  kPerson,  // the user's word that a host on another machine is gone; valid only while no lock is
            // visible
};

// The record of a session that waited for a slot of a host that is gone; absent if it does not
// wait, or its host lives.
Found<SessionRecord> waited_for_dead_host(const std::string& state_dir, const std::string& key);

// The keys with a lock or the beginning of a file, but without a file: their hosts are starting, or
// died while they did. Also those of sessions that waited for a slot of a host that is gone. An
// error if the folder cannot be listed.
struct UnfinishedSessions {
  std::vector<std::string> keys;
  std::vector<std::string> unreadable;  // a line for each record that cannot be read
};
base::Result<UnfinishedSessions> unfinished_sessions(const std::string& state_dir);

// Removes temporary session files of hosts that died while writing them.
void remove_unfinished_files(const std::string& state_dir);

// The files of a session in `state_dir`.
struct SessionPaths {
  std::string record, lock;
};
SessionPaths session_paths(const std::string& state_dir, const std::string& key);
// Takes a session's lock for a moment; empty if somebody else holds it. An error if the system does
// not let us lock it.
base::Result<base::Fd> lock_session(const std::string& state_dir, const std::string& key);

// Removes the file of `key` if its host is gone, after its socket (by `remove_socket`). kUsage if
// the host may live; another error if that, or the file, cannot be read.
base::Status remove_dead_session(const std::string& state_dir, const std::string& key,
                                 const std::function<void(const std::string& path)>& remove_socket,
                                 Witness witness = Witness::kSystem);

}  // namespace orch::store
