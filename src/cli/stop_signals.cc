#include "cli/stop_signals.h"

#include <signal.h>

namespace orch::cli {
namespace {

bool was_ignored(int signum) {
  struct sigaction found {};
  return ::sigaction(signum, nullptr, &found) == 0 && found.sa_handler == SIG_IGN;
}

}  // namespace

std::vector<std::unique_ptr<loop::SignalWatch>> watch_stop_signals(
    loop::Loop& loop, const std::function<void(int signum)>& on_stop) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);  // an inherited mask could block SIGTERM
  std::vector<std::unique_ptr<loop::SignalWatch>> watches;
  for (const int signum : {SIGINT, SIGTERM, SIGHUP}) {
    if (signum != SIGTERM && was_ignored(signum)) continue;
    watches.push_back(std::make_unique<loop::SignalWatch>(
        loop, signum, [on_stop](int n) { on_stop(n == SIGINT ? SIGINT : SIGTERM); }));
  }
  return watches;
}

}  // namespace orch::cli
