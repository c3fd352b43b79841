#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "store/session_file.h"

// Sessions that failed and stay for somebody to look at.
namespace orch::client {

inline constexpr int64_t kKeepErroredMs =
    int64_t{24} * 3600 * 1000;  // unless the run says otherwise

// Whether it has been kept for as long as it was to be; never of one that runs. One that says that
// it ends in the future is over, too: clocks are set.
bool is_over(const store::SessionRecord& session, int64_t now_ms);

// Ends what its manager still shows of a session that has ended: a dead pane.
void remove_from_manager(const store::SessionRecord& session);

// Removes those of a state directory whose time is over by now; returns how many.
size_t remove_over(const std::string& state_dir);

}  // namespace orch::client
