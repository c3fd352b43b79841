#include "ui/user_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "ui/color.h"

namespace orch::ui {
namespace {

// Switches to the alternate screen and clears it.
constexpr std::string_view kEnterScreen = "\x1b[?1049h\x1b[?7h\x1b[H\x1b[2J";

bool are_one_terminal(int one, int other) {
  struct stat first {
  }, second{};
  return ::isatty(one) != 0 && ::isatty(other) != 0 && ::fstat(one, &first) == 0 &&
         ::fstat(other, &second) == 0 && first.st_rdev == second.st_rdev;
}

// Opens the terminal anew, so that writes do not block: a terminal may take nothing for ever.
int open_anew() {
  const int fd = ::open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return fd >= 0 ? fd : STDERR_FILENO;
}

// Also called from a signal handler. Gives up on bytes that the terminal does not take within
// kTerminalPatienceMs.
void draw(std::string_view bytes) {
  static const int kTerminal = open_anew();
  pollfd ready{.fd = kTerminal, .events = POLLOUT, .revents = 0};
  while (!bytes.empty() && ::poll(&ready, 1, kTerminalPatienceMs) > 0) {
    const ssize_t n = ::write(kTerminal, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR && errno != EAGAIN) return;
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
}

// SIGINT, SIGTERM and SIGHUP end a run in an orderly way; these signals end the process where it
// is.
constexpr std::array kFatal{SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

// The state that the signal handler needs to restore the terminal.
struct AtCrash {
  int keys;
  termios found;
  volatile sig_atomic_t switched;
  volatile sig_atomic_t taken;
  TerminalKeeper* keeper;
  std::array<struct sigaction, kFatal.size()> before;
};
AtCrash at_crash;

void on_fatal_signal(int signum) {
  if (at_crash.taken != 0) {
    draw(kLeaveScreen);
    at_crash.keeper->set_screen_taken(false);
  }
  if (at_crash.switched != 0 && in_foreground()) {
    ::tcsetattr(at_crash.keys, TCSANOW, &at_crash.found);
  }
  for (size_t i = 0; i < kFatal.size(); ++i) {
    if (kFatal[i] == signum) ::sigaction(signum, &at_crash.before[i], nullptr);
  }
  ::raise(signum);  // is delivered once this handler returns
}

void catch_fatal_signals() {
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  ::sigfillset(&action.sa_mask);
  for (size_t i = 0; i < kFatal.size(); ++i) {
    ::sigaction(kFatal[i], nullptr, &at_crash.before[i]);
    if (at_crash.before[i].sa_handler != SIG_IGN) ::sigaction(kFatal[i], &action, nullptr);
  }
}

void release_fatal_signals() {
  for (size_t i = 0; i < kFatal.size(); ++i) {
    ::sigaction(kFatal[i], &at_crash.before[i], nullptr);
  }
}

}  // namespace

std::optional<term::Size> terminal_size() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize window{};
    if (::ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) continue;
    return term::Size{window.ws_col, window.ws_row};
  }
  return std::nullopt;
}

bool can_draw() { return are_one_terminal(STDOUT_FILENO, STDERR_FILENO) && !is_dumb(); }

bool in_foreground() { return ::tcgetpgrp(STDERR_FILENO) == ::getpgrp(); }

bool UserTerminal::is_ours() {
  return can_draw() && are_one_terminal(STDIN_FILENO, STDERR_FILENO) && in_foreground();
}

bool UserTerminal::has_user() {
  struct stat input {
  }, nowhere{};
  const bool is_nowhere = ::fstat(STDIN_FILENO, &input) != 0 ||
                          ::stat("/dev/null", &nowhere) != 0 ||
                          (S_ISCHR(input.st_mode) && input.st_rdev == nowhere.st_rdev);
  return !is_nowhere && ::isatty(STDERR_FILENO) != 0 && !is_dumb() && in_foreground();
}

bool UserTerminal::is_read_by_another() {
  termios modes{};
  return ::tcgetattr(STDERR_FILENO, &modes) == 0 && (modes.c_lflag & ICANON) == 0;
}

UserTerminal::UserTerminal()
    : opened_(are_one_terminal(STDIN_FILENO, STDERR_FILENO)
                  ? -1
                  : ::open("/proc/self/fd/2", O_RDONLY | O_NOCTTY | O_CLOEXEC)),
      keys_(opened_.valid() ? opened_.get() : STDIN_FILENO) {
  ::tcgetattr(keys_, &found_);
  draw("");  // opens the terminal, so that a signal handler finds it open
  at_crash.keys = keys_;
  at_crash.found = found_;
  catch_fatal_signals();
  at_crash.keeper =
      &keeper_.emplace(keys_, found_, std::vector{modes_for(Mode::kKeys), modes_for(Mode::kTaken)});
}

UserTerminal::~UserTerminal() {
  switch_to(Mode::kFound);
  release_fatal_signals();
}

bool UserTerminal::switch_to(Mode mode) {
  if (!in_foreground()) return false;
  const termios modes = modes_for(mode);
  if (mode != Mode::kFound) at_crash.switched = 1;
  if (::tcsetattr(keys_, TCSANOW, &modes) != 0) return false;
  if (mode == Mode::kTaken && mode_ != Mode::kTaken) {
    at_crash.taken = 1;
    keeper_->set_screen_taken(true);
    draw(kEnterScreen);
  } else if (mode != Mode::kTaken && mode_ == Mode::kTaken) {
    draw(kLeaveScreen);
    at_crash.taken = 0;
    keeper_->set_screen_taken(false);
  }
  if (mode == Mode::kFound) at_crash.switched = 0;
  mode_ = mode;
  return true;
}

// Output processing stays as it was, because other processes that write expect it. kKeys already
// makes Enter a CR, so that an Enter typed right before the key that takes over is a CR, too.
termios UserTerminal::modes_for(Mode mode) const {
  termios modes = found_;
  if (mode == Mode::kFound) return modes;
  modes.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR);
  modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  if (mode == Mode::kKeys) return modes;
  modes.c_iflag &= ~static_cast<tcflag_t>(IXON | ISTRIP | BRKINT | PARMRK);
  modes.c_lflag &= ~static_cast<tcflag_t>(ISIG | IEXTEN | ECHONL);
  return modes;
}

}  // namespace orch::ui
