#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "loop/loop.h"
#include "loop/signal_watch.h"

namespace orch::cli {

// Calls `on_stop` with SIGINT for that, and with SIGTERM for SIGTERM and SIGHUP. What the one who
// started this process had ignored (nohup, a shell's background) stays so, but for SIGTERM; what
// was blocked is not any more.
std::vector<std::unique_ptr<loop::SignalWatch>> watch_stop_signals(
    loop::Loop& loop, const std::function<void(int signum)>& on_stop);

}  // namespace orch::cli
