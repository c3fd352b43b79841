#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "store/session_file.h"

// Sessions that failed and are kept for a while, so that somebody can look at them.
namespace orch::client {

// How long a failed session is kept, unless its run says otherwise.
inline constexpr int64_t kKeepErroredMs = int64_t{24} * 3600 * 1000;

// Whether the session was kept for as long as it should be; never true of a running session. A
// session whose end lies in the future is over, too: the clock was set back.
bool is_over(const store::SessionRecord& session, int64_t now_ms);

// Removes a session that has ended from its session manager, where it is still a dead pane.
void remove_from_manager(const store::SessionRecord& session);

// Removes the sessions of a state directory that is_over() holds for now; returns how many.
size_t remove_over(const std::string& state_dir);

}  // namespace orch::client
