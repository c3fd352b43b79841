#include "store/queued_session.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "store/atomic_file.h"
#include "store/folder.h"

namespace orch::store {

base::Status queue_session(const std::string& state_dir, const SessionRecord& record,
                           Failed failed) {
  const std::optional<SessionRecord> there = session_of(state_dir, record.key);
  const bool is_over = there && there->status == SessionStatus::kErrored;
  const bool is_free = !there || (is_over && failed == Failed::kMakesRoom);
  if (!is_free || is_held(state_dir, record.key)) {
    return base::usage_error(record.name + " is there already");
  }
  std::vector<std::string> created;
  if (base::Status s = create_folders(state_dir + "/sessions", created); !s) return s;
  return write_file_unsynced(session_paths(state_dir, record.key).record, to_json(record));
}

bool waits_for_us(const std::string& state_dir, const std::string& key) {
  const std::optional<SessionRecord> record = session_of(state_dir, key);
  // A file that cannot be read, for want of descriptors say, is still there.
  if (!record) return ::access(session_paths(state_dir, key).record.c_str(), F_OK) == 0;
  return record->status == SessionStatus::kQueued && record->host == pty::own_identity();
}

bool unqueue_session(const std::string& state_dir, const std::string& key) {
  const base::Fd lock = lock_session(state_dir, key);
  if (!lock.valid()) return false;
  const SessionPaths paths = session_paths(state_dir, key);
  const std::optional<SessionRecord> record = session_of(state_dir, key);
  const bool waits = record && record->status == SessionStatus::kQueued;
  if (waits) ::unlink(paths.record.c_str());
  // If the session has a file that is not queued, its lock file must stay.
  if (waits || !record) ::unlink(paths.lock.c_str());
  return waits;
}

void forget_queued(const std::string& state_dir, const std::string& key) {
  if (waits_for_us(state_dir, key)) ::unlink(session_paths(state_dir, key).record.c_str());
}

}  // namespace orch::store
