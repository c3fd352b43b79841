#include "store/session_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <tuple>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/path_text.h"
#include "store/run_record.h"

namespace orch::store {

namespace fs = std::filesystem;

namespace {

constexpr base::Words<SessionStatus, 4> kSessionStatuses{{
    {SessionStatus::kQueued, "queued"},
    {SessionStatus::kRunning, "running"},
    {SessionStatus::kStopped, "stopped"},
    {SessionStatus::kErrored, "errored"},
}};

std::string sessions_folder(const std::string& state_dir) { return state_dir + "/sessions"; }
std::string record_path(const std::string& state_dir, const std::string& key) {
  return sessions_folder(state_dir) + "/" + key + ".json";
}
std::string lock_path(const std::string& state_dir, const std::string& key) {
  return sessions_folder(state_dir) + "/" + key + ".lock";
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

// Whether the host of a session may live although nobody holds its lock.
bool may_live_unlocked(const std::string& state_dir, const SessionRecord& session) {
  if (!session.ended.empty()) return false;
  switch (pty::whereabouts(session.host)) {
    case pty::Whereabouts::kHere:
    case pty::Whereabouts::kOtherMachine:
      return true;
    case pty::Whereabouts::kOtherNamespace:
      return !knows_all_locks(sessions_folder(state_dir));
    case pty::Whereabouts::kEnded:
    case pty::Whereabouts::kUnknown:
      return false;
  }
  return true;
}

base::Result<SessionRecord> read_record(const std::string& path) {
  base::Result<std::string> text = read_regular_file(path, kMaxRecordBytes);
  if (!text) return text.error();
  return session_record_from_json(*text);
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

// In the file paths are text (path_text.h).
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

// What is known of a session whose file exists but cannot be read by this version of orch.
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

// Reads a record and updates its status to the present one.
base::Result<SessionRecord> look_at(const std::string& state_dir, const std::string& key) {
  const std::string path = record_path(state_dir, key);
  base::Result<SessionRecord> record = read_record(path);
  if (record && record->key != key) {
    record = base::usage_error("the record of " + key + " is of another");
  }
  if (!record) {
    std::error_code failure;
    if (fs::symlink_status(path, failure).type() == fs::file_type::not_found) return record;
    const base::Result<std::string> text = read_regular_file(path, kMaxRecordBytes);
    SessionRecord part = part_of_session(key, text ? *text : "", record.error().text);
    if (!is_held(state_dir, key)) part.status = SessionStatus::kErrored;
    return part;
  }
  const bool lives = is_held(state_dir, key) || may_live_unlocked(state_dir, *record);
  if (lives) return record;
  if (record->status == SessionStatus::kQueued) {
    return base::Error{base::ErrorCode::kNotFound, "the host for which " + key + " waited is gone"};
  }
  record->status = SessionStatus::kErrored;
  return record;
}

base::Error runs_already(const std::string& key, const base::Result<SessionRecord>& other) {
  std::string text = key.substr(0, key.find('@')) + " is running already";
  if (!other) return base::usage_error(text + "; it is just starting or ending");
  if (other->status == SessionStatus::kQueued) {
    return base::usage_error(
        fmt::format("{} waits in the queue of pid {} already; orch kill {} takes it out",
                    other->name, other->host.pid, other->issue));
  }
  const bool elsewhere = pty::whereabouts(other->host) == pty::Whereabouts::kOtherMachine;
  text +=
      fmt::format(" (pid {}{})", other->host.pid, elsewhere ? " on " + other->host.hostname : "");
  return base::usage_error(text + "; see orch logs " + other->issue + ", or end it: orch kill " +
                           other->issue);
}

}  // namespace

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
    if (lock.valid() && !is_still_there(lock, path)) continue;
    const int error = errno;
    const base::Result<SessionRecord> other = read_record(record_path(state_dir, key));
    if (lock.valid()) {
      const bool waits_for_us =
          other && other->status == SessionStatus::kQueued && other->host == pty::own_identity();
      const bool lost_its_lock = other && other->ended.empty() && !waits_for_us &&
                                 pty::whereabouts(other->host) == pty::Whereabouts::kHere;
      if (lost_its_lock) return runs_already(key, other);
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
  const base::Result<SessionRecord> there = read_record(path);
  const bool is_anothers = there && there->run != run_;
  if (is_anothers) return;
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

std::vector<SessionRecord> list_sessions(const std::string& state_dir) {
  std::vector<SessionRecord> sessions;
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(sessions_folder(state_dir), failure)) {
    if (entry.path().extension() != ".json") continue;
    base::Result<SessionRecord> record = look_at(state_dir, entry.path().stem());
    if (record) sessions.push_back(std::move(record).value());
  }
  std::sort(sessions.begin(), sessions.end(), [](const SessionRecord& a, const SessionRecord& b) {
    return std::tie(a.started, a.key) < std::tie(b.started, b.key);
  });
  return sessions;
}

std::optional<SessionRecord> session_of(const std::string& state_dir, const std::string& key) {
  base::Result<SessionRecord> record = look_at(state_dir, key);
  if (!record) return std::nullopt;
  return std::move(record).value();
}

bool is_held(const std::string& state_dir, const std::string& key) {
  return is_locked(lock_path(state_dir, key));
}

std::optional<SessionRecord> waited_for_dead_host(const std::string& state_dir,
                                                  const std::string& key) {
  base::Result<SessionRecord> record = read_record(record_path(state_dir, key));
  if (!record || record->status != SessionStatus::kQueued || look_at(state_dir, key)) {
    return std::nullopt;
  }
  return std::move(record).value();
}

std::vector<std::string> unfinished_sessions(const std::string& state_dir) {
  std::vector<std::string> keys;
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(sessions_folder(state_dir), failure)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".json") {
      std::string key = entry.path().stem();
      if (waited_for_dead_host(state_dir, key)) keys.push_back(std::move(key));
      continue;
    }
    if (!name.ends_with(".lock")) continue;
    std::string key = name.substr(0, name.size() - (sizeof ".lock" - 1));
    if (::access(record_path(state_dir, key).c_str(), F_OK) != 0) keys.push_back(std::move(key));
  }
  return keys;
}

void remove_unfinished_files(const std::string& state_dir) {
  // Then comes the random part of write_file()'s temporary name.
  constexpr std::string_view kBetween = ".json.";
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(sessions_folder(state_dir), failure)) {
    const std::string name = entry.path().filename();
    const size_t end = name.rfind(kBetween);
    if (end == std::string::npos) continue;
    const base::Fd lock = lock_session(state_dir, name.substr(0, end));
    if (!lock.valid()) continue;
    ::unlink(entry.path().c_str());
    const std::string key = name.substr(0, end);
    if (::access(record_path(state_dir, key).c_str(), F_OK) != 0) {
      ::unlink(lock_path(state_dir, key).c_str());
    }
  }
}

SessionPaths session_paths(const std::string& state_dir, const std::string& key) {
  return {record_path(state_dir, key), lock_path(state_dir, key)};
}

base::Fd lock_session(const std::string& state_dir, const std::string& key) {
  const std::string path = lock_path(state_dir, key);
  base::Fd lock = try_lock(path);
  if (lock.valid() && !is_still_there(lock, path)) lock.reset();
  return lock;
}

bool remove_dead_session(const std::string& state_dir, const std::string& key,
                         const std::function<void(const std::string& path)>& remove_socket,
                         Witness witness) {
  const std::string path = lock_path(state_dir, key);
  const base::Fd lock = try_lock(path);
  if (!lock.valid() || !is_still_there(lock, path)) return false;
  const std::string record = record_path(state_dir, key);
  const base::Result<SessionRecord> dead = read_record(record);
  const bool lives =
      dead && (witness == Witness::kSystem ? may_live_unlocked(state_dir, *dead)
                                           : dead->ended.empty() && pty::whereabouts(dead->host) ==
                                                                        pty::Whereabouts::kHere);
  if (lives) return false;
  if (dead && !dead->socket.empty()) remove_socket(dead->socket);
  ::unlink(record.c_str());
  ::unlink(path.c_str());
  return true;
}

}  // namespace orch::store
