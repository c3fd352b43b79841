#pragma once

#include <cstdint>

#include "client/session_watch.h"
#include "ui/top_model.h"

namespace orch::cli {

// A session as a row of `orch top`. `now_ms` and `reported_at_ms`, the time of the host's report,
// are on the loop's clock, and so are the times in the row.
ui::TopSession top_row(const client::SessionView& view, int64_t reported_at_ms, int64_t now_ms);
ui::TopSession top_row(const client::WatchedSession& session, int64_t now_ms);

}  // namespace orch::cli
