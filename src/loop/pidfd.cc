#include "loop/pidfd.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace orch::loop {

base::Fd open_pidfd(pid_t pid) {
  return base::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool signal_pidfd(const base::Fd& pidfd, int signum) {
  return ::syscall(SYS_pidfd_send_signal, pidfd.get(), signum, nullptr, 0) == 0;
}

}  // namespace orch::loop
