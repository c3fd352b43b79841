#include "cli/user_terminal.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace orch::cli {
namespace {

// The alternate screen, where a row that is too long is cut and not wrapped.
constexpr std::string_view kEnterScreen = "\x1b[?1049h\x1b[?7l";
// Whatever a frame may have set; one that was cut in a sequence is ended by the next ESC.
constexpr std::string_view kLeaveScreen =
    "\x1b[?2026l\x1b[0m\x1b[?1l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

bool in_foreground() { return ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

void draw(std::string_view bytes) {
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, bytes.data(), bytes.size());
}

// SIGINT, SIGTERM and SIGHUP end a run in order; these end the process where it stands.
constexpr std::array kFatal{SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

// What a signal handler can know of the terminal.
struct AtCrash {
  termios found;
  volatile sig_atomic_t switched;
  volatile sig_atomic_t taken;
  std::array<struct sigaction, kFatal.size()> before;
};
AtCrash at_crash;

void on_fatal_signal(int signum) {
  if (at_crash.taken != 0) draw(kLeaveScreen);
  if (at_crash.switched != 0 && in_foreground()) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &at_crash.found);
  }
  for (size_t i = 0; i < kFatal.size(); ++i) {
    if (kFatal[i] == signum) ::sigaction(signum, &at_crash.before[i], nullptr);
  }
  ::raise(signum);  // comes once this returns
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

bool UserTerminal::is_ours() {
  struct stat in {
  }, err{};
  const char* kind = ::getenv("TERM");
  return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0 &&
         ::fstat(STDIN_FILENO, &in) == 0 && ::fstat(STDERR_FILENO, &err) == 0 &&
         in.st_rdev == err.st_rdev && in_foreground() &&
         (kind == nullptr || std::string_view(kind) != "dumb");
}

UserTerminal::UserTerminal() {
  ::tcgetattr(STDIN_FILENO, &found_);
  at_crash.found = found_;
  catch_fatal_signals();
}

UserTerminal::~UserTerminal() {
  switch_to(Mode::kFound);
  release_fatal_signals();
}

bool UserTerminal::switch_to(Mode mode) {
  if (!in_foreground()) return false;
  const termios modes = modes_for(mode);
  if (mode != Mode::kFound) at_crash.switched = 1;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &modes) != 0) return false;
  if (mode == Mode::kTaken && mode_ != Mode::kTaken) {
    at_crash.taken = 1;
    draw(kEnterScreen);
  } else if (mode != Mode::kTaken && mode_ == Mode::kTaken) {
    draw(kLeaveScreen);
    at_crash.taken = 0;
  }
  if (mode == Mode::kFound) at_crash.switched = 0;
  mode_ = mode;
  return true;
}

// Output stays processed as it was: whoever else writes expects it. Enter is a CR from the start,
// so that it is one, too, where it was typed in one breath with the key that takes over.
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

}  // namespace orch::cli
