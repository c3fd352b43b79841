#include "store/session_file.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <tuple>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "store/atomic_file.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/path_text.h"
#include "store/run_record.h"
#include "store/state_file.h"

namespace orch::store {

namespace {

constexpr base::Words<SessionStatus, 4> kSessionStatuses{{
    {SessionStatus::kQueued, "queued"},
    {SessionStatus::kRunning, "running"},
    {SessionStatus::kStopped, "stopped"},
    {SessionStatus::kErrored, "errored"},
}};

constexpr std::string_view kRecordEnding = ".json", kLockEnding = ".lock";

std::string sessions_folder(const std::string& state_dir) { return state_dir + "/sessions"; }
std::string record_path(const std::string& state_dir, const std::string& key) {
  return sessions_folder(state_dir) + "/" + key + std::string(kRecordEnding);
}
std::string lock_path(const std::string& state_dir, const std::string& key) {
  return sessions_folder(state_dir) + "/" + key + std::string(kLockEnding);
}

// Whether the disk belongs to this kernel alone, which then knows every lock on it. Elsewhere (NFS,
// 9p, FUSE, ...) a lock may be lost or invisible.
bool knows_all_locks(const std::string& folder) {
  constexpr std::array<int64_t, 8> kOwnDisks{
      EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,     TMPFS_MAGIC,
      RAMFS_MAGIC,      F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, 0x2fc12fc1};  // the last is ZFS
  struct statfs disk {};
  return ::statfs(folder.c_str(), &disk) == 0 &&
         std::find(kOwnDisks.begin(), kOwnDisks.end(), disk.f_type) != kOwnDisks.end();
}

bool may_live_unlocked(const std::string& state_dir, const SessionRecord& session) {
  return session.ended.empty() && store::may_live_unlocked(state_dir, session.host);
}

constexpr auto kRecordFields = [](auto& in, auto& record) {
  in.required("key", record.key);
  in.required("name", record.name);
  in.required("issue", record.issue);
  in.required("manager", record.manager);
  in.optional("manager_reason", record.manager_reason);
  in.nullable("manager_server", record.manager_server);
  in.word("status", session_status_named, record.status);
  in.required("agent", record.agent);
  in.required("command", record.command);
  in.required("cwd", record.cwd);
  in.required("repository", record.repository);
  in.required("run", record.run);
  in.required("run_dir", record.run_dir);
  in.nullable("socket", record.socket);
  in.sparse("worktree", record.worktree);
  in.required("pid", record.host.pid);
  // Files of older versions have no pid_start, nor the four members after it.
  in.optional("pid_start", record.host.start);
  in.optional("pid_namespace", record.host.pid_namespace);
  in.optional("boot_id", record.host.boot_id);
  in.optional("hostname", record.host.hostname);
  in.optional("machine", record.host.machine);
  in.required("started", record.started);
  in.nullable("ended", record.ended);
  if (!record.ended.empty()) in.optional("keep_for_ms", record.keep_for_ms);
  in.sparse("unreadable", record.unreadable);
};

// In the file, paths are text (path_text.h).
template <typename Change>
void change_paths(SessionRecord& record, const Change& change) {
  for (std::string* path : {&record.cwd, &record.repository, &record.run_dir, &record.worktree}) {
    *path = change(*path);
  }
}

// Names and descriptions may be shown as they are, so they are made printable, as in a run's
// record. The key is the name of the file, so it is left alone.
void make_printable(SessionRecord& record) {
  for (std::string* text :
       {&record.name, &record.issue, &record.manager, &record.manager_reason, &record.agent,
        &record.run, &record.started, &record.ended, &record.unreadable}) {
    *text = base::printable(*text);
  }
}

// The known part of a session whose file exists but cannot be read by this version of orch.
SessionRecord part_of_session(const std::string& key, const std::string& text, std::string why) {
  SessionRecord part;
  base::JsonDocument document("session record", text);
  base::JsonMembers fields(document);
  const auto take = [&fields](const char* name, std::string& out) {
    const base::Json* found = fields.find(name);
    if (found != nullptr && found->is_string()) out = found->get<std::string>();
  };
  part.key = key;
  part.name = key.substr(0, key.find('@'));
  part.issue = part.name.substr(std::min(part.name.size(), session_name("").size()));
  take("manager", part.manager);
  take("agent", part.agent);
  take("cwd", part.cwd);
  take("repository", part.repository);
  take("run", part.run);
  take("run_dir", part.run_dir);
  take("socket", part.socket);
  take("started", part.started);
  change_paths(part, path_from_text);
  make_printable(part);
  const base::Json* pid = fields.find("pid");
  if (pid != nullptr && pid->is_number_integer()) part.host.pid = pid->get<pid_t>();
  part.unreadable = std::move(why);
  return part;
}

// A damaged file, or one that is not regular, is present, with the known part of its record.
Found<SessionRecord> read_record(const std::string& path, const std::string& key) {
  const Found<std::string> text = read_state(path, kMaxRecordBytes);
  if (text.is_absent()) return Found<SessionRecord>::absent();
  if (text.is_unknown()) {
    if (is_refused(text.error())) return text.error();
    return part_of_session(key, "", text.error().text);
  }
  base::Result<SessionRecord> record = session_record_from_json(*text);
  if (!record) return part_of_session(key, *text, record.error().text);
  if (record->key != key) {
    return part_of_session(key, *text, "the record of " + key + " is of another");
  }
  return std::move(record).value();
}

// Reads a record and updates its status to the present one.
Found<SessionRecord> look_at(const std::string& state_dir, const std::string& key) {
  Found<SessionRecord> record = written_session(state_dir, key);
  if (!record.is_present()) return record;
  const Presence host = host_of(state_dir, key);
  if (host.is_unknown()) return host.error();
  const bool is_damaged = !record->unreadable.empty();
  if (host.is_present() || (!is_damaged && may_live_unlocked(state_dir, *record))) return record;
  if (record->status == SessionStatus::kQueued) return Found<SessionRecord>::absent();
  record->status = SessionStatus::kErrored;
  return record;
}

// The same on the word of a witness.
bool may_live(const std::string& state_dir, const SessionRecord& session, Witness witness) {
  if (witness == Witness::kSystem) return may_live_unlocked(state_dir, session);
  return session.ended.empty() && pty::whereabouts(session.host) == pty::Whereabouts::kHere;
}

base::Error runs_already(const std::string& key, const Found<SessionRecord>& other) {
  std::string text = key.substr(0, key.find('@')) + " is running already";
  if (other.is_unknown())
    return base::usage_error(text + "; by whom is not known: " + other.error().text);
  if (other.is_absent()) return base::usage_error(text + "; it is just starting or ending");
  const bool elsewhere = pty::whereabouts(other->host) == pty::Whereabouts::kOtherMachine;
  const std::string place = elsewhere ? " on " + other->host.hostname : "";
  if (other->status == SessionStatus::kQueued) {
    return base::usage_error(
        fmt::format("{} waits in the queue of pid {}{} already; orch kill {} takes it out",
                    other->name, other->host.pid, place, other->issue));
  }
  text += fmt::format(" (pid {}{})", other->host.pid, place);
  return base::usage_error(text + "; see orch logs " + other->issue + ", or end it: orch kill " +
                           other->issue);
}

// For a session that may still run, although its lock is free: its disk does not show locks of
// other machines or containers.
base::Error may_run_elsewhere(const SessionRecord& other) {
  const std::string host = base::printable(other.host.hostname);
  return base::usage_error(fmt::format(
      "{} {} (pid {} on {}): its lock cannot be seen from here; end it there, or if that host is "
      "gone: orch gc --forget {}",
      other.name,
      other.status == SessionStatus::kQueued ? "may wait in a queue" : "may be running already",
      other.host.pid, host.empty() ? "another host" : host, other.key));
}

// Whether our record may replace the present one. We hold the session's lock.
base::Status check_replaceable(const std::string& state_dir, const Found<SessionRecord>& other) {
  if (other.is_unknown()) return other.error();
  if (other.is_absent() || !other->unreadable.empty() || !other->ended.empty()) return base::Ok{};
  const bool waits_for_us = other->status == SessionStatus::kQueued && pty::is_own(other->host);
  if (waits_for_us) return base::Ok{};
  if (pty::whereabouts(other->host) == pty::Whereabouts::kHere) {
    return runs_already(other->key, other);
  }
  if (!may_live_unlocked(state_dir, *other)) return base::Ok{};
  return may_run_elsewhere(*other);
}

}  // namespace

bool may_live_unlocked(const std::string& state_dir, const pty::ProcessIdentity& host) {
  switch (pty::whereabouts(host)) {
    case pty::Whereabouts::kHere:
    case pty::Whereabouts::kOtherMachine:
      return true;
    case pty::Whereabouts::kOtherNamespace:
    case pty::Whereabouts::kUnknown:
      return !knows_all_locks(sessions_folder(state_dir));
    case pty::Whereabouts::kEnded:
      return false;
  }
  return true;
}

std::string_view name(SessionStatus status) { return base::word_of(kSessionStatuses, status); }

std::optional<SessionStatus> session_status_named(std::string_view name) {
  return base::value_of(kSessionStatuses, name);
}

std::string session_key(std::string_view issue, std::string_view repository) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, 64 bits
  for (const char c : repository) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}@{:08x}", session_name(issue), static_cast<uint32_t>(hash ^ (hash >> 32)));
}

std::string to_json(const SessionRecord& record) {
  SessionRecord as_text = record;
  change_paths(as_text, path_to_text);
  return base::json_text(base::object_of(as_text, kRecordFields));
}

base::Result<SessionRecord> session_record_from_json(std::string_view text) {
  base::Result<SessionRecord> record =
      base::record_of<SessionRecord>("session record", text, kRecordFields);
  if (!record) return record;
  change_paths(*record, path_from_text);
  make_printable(*record);
  return record;
}

base::Result<std::unique_ptr<SessionFile>> SessionFile::claim(const std::string& state_dir,
                                                              const std::string& key) {
  const std::string path = lock_path(state_dir, key);
  std::vector<std::string> created;
  for (;;) {
    if (base::Status s = create_folders(sessions_folder(state_dir), created); !s) return s.error();
    base::Fd lock = try_lock(path);
    if (!lock.valid() && errno == ENOENT) continue;  // somebody has just removed the empty folder
    const int error = errno;
    if (lock.valid()) {
      const Presence there = still_there(lock, path);
      if (there.is_unknown()) return there.error();
      if (there.is_absent()) continue;
    }
    const Found<SessionRecord> other = written_session(state_dir, key);
    if (lock.valid()) {
      if (base::Status s = check_replaceable(state_dir, other); !s) return s.error();
      return std::unique_ptr<SessionFile>(
          new SessionFile(state_dir, key, std::move(lock), std::move(created)));
    }
    if (error != EAGAIN) return base::system_error("lock " + path, error);
    return runs_already(key, other);
  }
}

SessionFile::SessionFile(const std::string& state_dir, std::string key, base::Fd lock,
                         std::vector<std::string> created)
    : folder_(sessions_folder(state_dir)),
      key_(std::move(key)),
      lock_(std::move(lock)),
      created_(std::move(created)) {}

std::string SessionFile::path() const { return folder_.path() + "/" + key_ + ".json"; }

SessionFile::~SessionFile() {
  const std::string path = this->path();
  const Found<SessionRecord> there = read_record(path, key_);
  // A file that cannot be read may be another host's: it stays, and orch gc removes it.
  if (there.is_unknown()) return;
  if (there.is_present() && there->run != run_) return;
  if (!run_.empty() && !stays_) ::unlink(path.c_str());
  ::unlink((folder_.path() + "/" + key_ + ".lock").c_str());
  if (run_.empty()) remove_folders(created_);
}

base::Status SessionFile::write(const SessionRecord& record) {
  // After a loss of power no session runs, so the file need not be synced.
  base::Status written = write_file_unsynced(path(), to_json(record));
  if (written) run_ = record.run;
  return written;
}

base::Status SessionFile::leave(const SessionRecord& record) {
  base::Status written = write(record);
  stays_ = written.ok();
  return written;
}

namespace {

// The session of an unreadable file or lock: it may run.
SessionRecord unknown_session(const std::string& state_dir, const std::string& key,
                              const base::Error& why) {
  Found<SessionRecord> written = written_session(state_dir, key);
  if (!written.is_present()) return part_of_session(key, "", why.text);
  written->unreadable = why.text;
  return std::move(written).value();
}

}  // namespace

base::Result<std::vector<SessionRecord>> list_sessions(const std::string& state_dir) {
  const base::Result<std::vector<std::string>> names = names_in_folder(sessions_folder(state_dir));
  if (!names) return names.error();
  std::vector<SessionRecord> sessions;
  for (const std::string& name : *names) {
    if (!name.ends_with(kRecordEnding)) continue;
    const std::string key = name.substr(0, name.size() - kRecordEnding.size());
    Found<SessionRecord> record = look_at(state_dir, key);
    if (record.is_present()) sessions.push_back(std::move(record).value());
    if (record.is_unknown()) sessions.push_back(unknown_session(state_dir, key, record.error()));
  }
  std::sort(sessions.begin(), sessions.end(), [](const SessionRecord& a, const SessionRecord& b) {
    return std::tie(a.started, a.key) < std::tie(b.started, b.key);
  });
  return sessions;
}

Found<SessionRecord> session_of(const std::string& state_dir, const std::string& key) {
  return look_at(state_dir, key);
}

Found<SessionRecord> written_session(const std::string& state_dir, const std::string& key) {
  return read_record(record_path(state_dir, key), key);
}

Presence host_of(const std::string& state_dir, const std::string& key) {
  return holder_of_lock(lock_path(state_dir, key));
}

Found<SessionRecord> waited_for_dead_host(const std::string& state_dir, const std::string& key) {
  Found<SessionRecord> record = written_session(state_dir, key);
  if (!record.is_present()) return record;
  if (record->status != SessionStatus::kQueued) return Found<SessionRecord>::absent();
  const Found<SessionRecord> now = look_at(state_dir, key);
  if (now.is_unknown()) return now.error();
  return now.is_absent() ? std::move(record) : Found<SessionRecord>::absent();
}

namespace {

// The file of a session that runs, or has run. Its key comes from a record or a lock.
Presence finished_file(const std::string& state_dir, const std::string& key, bool is_record) {
  if (!is_record) return presence_of(record_path(state_dir, key));
  const Found<SessionRecord> waited = waited_for_dead_host(state_dir, key);
  if (waited.is_unknown()) return waited.error();
  return waited.is_present() ? Presence::absent() : Presence(base::Ok{});
}

}  // namespace

base::Result<UnfinishedSessions> unfinished_sessions(const std::string& state_dir) {
  const base::Result<std::vector<std::string>> names = names_in_folder(sessions_folder(state_dir));
  if (!names) return names.error();
  UnfinishedSessions found;
  for (const std::string& name : *names) {
    const bool is_record = name.ends_with(kRecordEnding);
    if (!is_record && !name.ends_with(kLockEnding)) continue;
    std::string key =
        name.substr(0, name.size() - (is_record ? kRecordEnding : kLockEnding).size());
    const Presence finished = finished_file(state_dir, key, is_record);
    if (finished.is_absent()) found.keys.push_back(std::move(key));
    if (finished.is_unknown()) found.unreadable.push_back(finished.error().text);
  }
  return found;
}

void remove_unfinished_files(const std::string& state_dir) {
  // Then comes the random part of write_file()'s temporary name.
  constexpr std::string_view kBetween = ".json.";
  const base::Result<std::vector<std::string>> names = names_in_folder(sessions_folder(state_dir));
  if (!names) return;  // they stay
  for (const std::string& name : *names) {
    const size_t end = name.rfind(kBetween);
    if (end == std::string::npos) continue;
    const std::string key = name.substr(0, end);
    const base::Result<base::Fd> lock = lock_session(state_dir, key);
    if (!lock || !lock->valid()) continue;
    ::unlink((sessions_folder(state_dir) + "/" + name).c_str());
    if (is_absent(record_path(state_dir, key))) ::unlink(lock_path(state_dir, key).c_str());
  }
}

SessionPaths session_paths(const std::string& state_dir, const std::string& key) {
  return {record_path(state_dir, key), lock_path(state_dir, key)};
}

base::Result<base::Fd> lock_session(const std::string& state_dir, const std::string& key) {
  const std::string path = lock_path(state_dir, key);
  base::Fd lock = try_lock(path);
  if (!lock.valid()) {
    if (errno != EAGAIN && !means_absent(errno)) return base::system_error("lock " + path, errno);
    return lock;
  }
  const Presence there = still_there(lock, path);
  if (there.is_unknown()) return there.error();
  if (there.is_absent()) lock.reset();
  return lock;
}

base::Status remove_dead_session(const std::string& state_dir, const std::string& key,
                                 const std::function<void(const std::string& path)>& remove_socket,
                                 Witness witness) {
  const base::Result<base::Fd> lock = lock_session(state_dir, key);
  if (!lock) return lock.error();
  const base::Error lives = base::usage_error("session " + key + " is held by its host");
  if (!lock->valid()) return lives;
  const SessionPaths paths = session_paths(state_dir, key);
  const Found<SessionRecord> dead = written_session(state_dir, key);
  if (dead.is_unknown()) return dead.error();
  if (dead.is_present()) {
    const bool is_damaged = !dead->unreadable.empty();
    if (!is_damaged && may_live(state_dir, *dead, witness)) return lives;
    if (!dead->socket.empty()) remove_socket(dead->socket);
  }
  ::unlink(paths.record.c_str());
  ::unlink(paths.lock.c_str());
  return base::Ok{};
}

}  // namespace orch::store
