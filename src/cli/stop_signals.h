#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "loop/loop.h"
#include "loop/signal_watch.h"

namespace orch::cli {

// Calls `on_stop` with SIGINT for SIGINT, and with SIGTERM for SIGTERM and SIGHUP. SIGINT and
// SIGHUP stay ignored if this process inherited that (nohup, a shell's background); SIGTERM does
// not. All signals are unblocked.
std::vector<std::unique_ptr<loop::SignalWatch>> watch_stop_signals(
    loop::Loop& loop, const std::function<void(int signum)>& on_stop);

}  // namespace orch::cli
