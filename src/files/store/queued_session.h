#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/session_file.h"

// Sessions of a batch that wait for a slot of their host, as others see them: session files with
// status kQueued, without a lock or a socket, so that thousands of them cost no descriptors. They
// are alive as long as the host that they name. A process that takes a session out of the queue
// removes its file while holding the session's lock; the host checks, holding the lock, whether the
// file is still there.
namespace orch::store {

// Writes the session's file. An error if another session has its place; kMakesRoom: one that has
// failed may be replaced.
enum class Failed : uint8_t { kStays, kMakesRoom };
base::Status queue_session(const std::string& state_dir, const SessionRecord& record,
                           Failed failed = Failed::kStays);
// Whether the session still waits for this process. Unknown if its file cannot be read; that takes
// nobody out of the queue.
Presence waits_for_us(const std::string& state_dir, const std::string& key);
// Takes a session out of the queue. Absent if it does not wait, or is starting at this moment.
Presence unqueue_session(const std::string& state_dir, const std::string& key);
// The same for a session that waits for this process. Only this process can start it, so no lock is
// needed. A file that cannot be read stays, and is removed once this process has ended.
void forget_queued(const std::string& state_dir, const std::string& key);

}  // namespace orch::store
