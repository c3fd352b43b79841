#include "ui/terminal_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>

#include "base/child.h"
#include "ui/user_terminal.h"

namespace orch::ui {
namespace {

constexpr int kTerminal = 3, kLife = 4;  // the child's only descriptors
// A command that takes the terminal has far fewer descriptors open when it does.
constexpr unsigned kLastClosedSingly = 4095;

bool are_same(const termios& one, const termios& other) {
  return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag &&
         one.c_lflag == other.c_lflag && one.c_cc[VMIN] == other.c_cc[VMIN] &&
         one.c_cc[VLNEXT] == other.c_cc[VLNEXT];
}

// The following code runs in the child of a process that may have had threads, so it uses system
// calls alone.

// Closes the descriptors from `first` to `last`; before Linux 5.9 one by one.
void close_all(unsigned first, unsigned last) {
  if (::syscall(SYS_close_range, first, last, 0U) == 0) return;
  for (unsigned fd = first; fd <= std::min(last, kLastClosedSingly); ++fd) ::syscall(SYS_close, fd);
}

bool arrange_descriptors(int terminal, int life) {
  const int high_terminal = ::fcntl(terminal, F_DUPFD, kLife + 1);
  const int high_life = ::fcntl(life, F_DUPFD, kLife + 1);
  if (::dup2(high_terminal, kTerminal) != kTerminal || ::dup2(high_life, kLife) != kLife) {
    return false;
  }
  close_all(0, kTerminal - 1);
  close_all(kLife + 1, ~0U);
  return true;
}

// True when the parent died; false when it said that the terminal is in order.
bool await_death() {
  char word = 0;
  while (true) {
    const ssize_t n = ::read(kLife, &word, 1);
    if (n >= 0) return n == 0;
    if (errno != EINTR) return false;
  }
}

void ignore_signals() {
  for (const int signum : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE,
                           SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH}) {
    ::signal(signum, SIG_IGN);
  }
}

}  // namespace

struct TerminalKeeper::Shared {
  std::atomic<bool> screen_taken{false};
};

TerminalKeeper::TerminalKeeper(int terminal, const termios& found,
                               const std::vector<termios>& ours) {
  void* const page =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int ends[2] = {-1, -1};
  if (page == MAP_FAILED) return;
  shared_ = new (page) Shared;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  base::Fd death(ends[0]);
  life_ = base::Fd(ends[1]);
  child_ = ::fork();
  if (child_ != 0) return;  // the parent, or fork failed

  ignore_signals();
  ::setsid();
  ::prctl(PR_SET_NAME, "tty-keeper");
  ::syscall(SYS_close, life_.get());
  if (!arrange_descriptors(terminal, death.get()) || !await_death()) ::_exit(0);
  termios now{};
  if (::tcgetattr(kTerminal, &now) == 0) {
    bool is_ours = false;
    for (const termios& modes : ours) is_ours = is_ours || are_same(now, modes);
    if (is_ours) ::tcsetattr(kTerminal, TCSANOW, &found);
  }
  if (shared_->screen_taken) {
    pollfd ready{.fd = kTerminal, .events = POLLOUT, .revents = 0};
    if (::poll(&ready, 1, kTerminalPatienceMs) > 0) {
      [[maybe_unused]] const ssize_t n =
          ::write(kTerminal, kLeaveScreen.data(), kLeaveScreen.size());
    }
  }
  ::_exit(0);
}

TerminalKeeper::~TerminalKeeper() {
  if (child_ > 0) {
    [[maybe_unused]] const ssize_t n = ::send(life_.get(), "", 1, MSG_NOSIGNAL);
    life_.reset();
    base::end_of(child_);
  }
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
}

void TerminalKeeper::set_screen_taken(bool taken) {
  if (shared_ != nullptr) shared_->screen_taken = taken;
}

}  // namespace orch::ui
