#include "store/queued_session.h"

#include <unistd.h>

#include <string>

#include "store/atomic_file.h"
#include "store/folder.h"

namespace orch::store {

base::Status queue_session(const std::string& state_dir, const SessionRecord& record,
                           Failed failed) {
  const Found<SessionRecord> there = session_of(state_dir, record.key);
  if (there.is_unknown()) return there.error();
  const bool is_over = there.is_present() && there->status == SessionStatus::kErrored;
  const bool is_free = there.is_absent() || (is_over && failed == Failed::kMakesRoom);
  const Presence host = host_of(state_dir, record.key);
  if (host.is_unknown()) return host.error();
  if (!is_free || host.is_present()) return base::usage_error(record.name + " is there already");
  if (base::Status s = create_folders(state_dir + "/sessions"); !s) return s;
  return write_file_unsynced(session_paths(state_dir, record.key).record, to_json(record));
}

Presence waits_for_us(const std::string& state_dir, const std::string& key) {
  const Found<SessionRecord> record = written_session(state_dir, key);
  if (record.is_unknown()) return record.error();
  if (record.is_absent()) return Presence::absent();
  const bool waits =
      record->status == SessionStatus::kQueued && record->host == pty::own_identity();
  return waits ? Presence(base::Ok{}) : Presence::absent();
}

Presence unqueue_session(const std::string& state_dir, const std::string& key) {
  const base::Result<base::Fd> lock = lock_session(state_dir, key);
  if (!lock) return lock.error();
  if (!lock->valid()) return Presence::absent();
  const SessionPaths paths = session_paths(state_dir, key);
  const Found<SessionRecord> record = session_of(state_dir, key);
  if (record.is_unknown()) return record.error();
  const bool waits = record.is_present() && record->status == SessionStatus::kQueued;
  if (waits) ::unlink(paths.record.c_str());
  // If the session has a file that is not queued, its lock file must stay.
  if (waits || record.is_absent()) ::unlink(paths.lock.c_str());
  return waits ? Presence(base::Ok{}) : Presence::absent();
}

void forget_queued(const std::string& state_dir, const std::string& key) {
  if (waits_for_us(state_dir, key).is_present()) {
    ::unlink(session_paths(state_dir, key).record.c_str());
  }
}

}  // namespace orch::store
