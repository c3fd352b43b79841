#pragma once

#include <cstdint>
#include <vector>

#include "client/session_watch.h"
#include "ui/top_model.h"

namespace orch::cli {

// A session of a state directory as a row of `orch top`. Ages count on the clock that `now_ms` is
// of; what the host said was said at `reported_at_ms`.
ui::TopSession top_row(const client::SessionView& view, int64_t reported_at_ms, int64_t now_ms);
ui::TopSession top_row(const client::WatchedSession& session, int64_t now_ms);

}  // namespace orch::cli
