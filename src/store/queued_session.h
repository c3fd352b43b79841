#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/session_file.h"

// Issues of a batch that wait for a slot of their host, as others see them: session files of status
// kQueued, without a lock and a socket, so that thousands of them cost no descriptors. The host
// that they name says whether they live. Whoever takes one out of the queue removes its file, with
// the session's lock in hand; the host looks, with that lock in hand, whether it is still there.
namespace orch::store {

// Writes its file. An error: another session is in its place, which stays; one that has failed
// need not.
enum class Failed : uint8_t { kStays, kMakesRoom };
base::Status queue_session(const std::string& state_dir, const SessionRecord& record,
                           Failed failed = Failed::kStays);
// Whether it still waits for this process.
bool waits_for_us(const std::string& state_dir, const std::string& key);
// Takes it out of the queue. False: it does not wait, or begins at this moment.
bool unqueue_session(const std::string& state_dir, const std::string& key);
// The same of one that waits for this process, which alone could start it.
void forget_queued(const std::string& state_dir, const std::string& key);

}  // namespace orch::store
