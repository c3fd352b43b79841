#include "cli/full_screen.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/child.h"
#include "base/result.h"

namespace orch::cli {
namespace {

using Mode = ui::UserTerminal::Mode;

// Autowrap, which the painter needs; no cursor; clicks and the wheel, in SGR form; bracketed paste.
constexpr std::string_view kOwnModes = "\033[?7h\033[?25l\033[?1000h\033[?1006h\033[?2004h";
constexpr int64_t kEscapeMs = 50;  // after ESC, the rest of a key's sequence comes within this time
// A shell need not notify us when it brings us to the foreground, so we try.
constexpr int64_t kRetryMs = 500;
constexpr int64_t kChildEndsMs = 2'000;

// Starts a child in our process group, on our terminal, with default signal dispositions and an
// empty signal mask. Returns 0 or an errno value.
int spawn_at_terminal(const std::vector<std::string>& words, pid_t& pid) {
  const std::vector<char*> argv = base::pointers(words);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t all, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int failure = ::posix_spawn(&pid, argv.front(), nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  return failure;
}

}  // namespace

FullScreen::FullScreen(ui::Ink ink, Show& show)
    : show_(show),
      out_(loop_, STDOUT_FILENO),
      keys_(loop_, loop::WatchedFd::share(STDIN_FILENO)),
      escape_timer_(loop_),
      retry_timer_(loop_),
      end_timer_(loop_),
      painter_(ink) {}

void FullScreen::start() {
  watch_signals();
  take_terminal();
}

int FullScreen::run() {
  if (!ended_) loop_.run();
  leave_terminal();
  return code_;
}

void FullScreen::forget() { painter_.forget(); }

// Returns false while we are in the background; then this is tried again later.
bool FullScreen::take_terminal() {
  if (!terminal_.switch_to(Mode::kTaken)) {
    retry_timer_.start(kRetryMs, [this] { take_terminal(); });
    return false;
  }
  retry_timer_.stop();
  taken_ = true;
  suspended_ = std::make_unique<loop::SignalWatch>(loop_, SIGTSTP, [this](int) { suspend(); });
  painter_.forget();
  out_.write(std::string(kOwnModes));
  keys_.start(loop::kReadable, [this](int) { on_keys(); });
  draw();
  return true;
}

void FullScreen::leave_terminal() {
  if (!taken_) return;
  taken_ = false;
  keys_.stop();
  escape_timer_.stop();
  suspended_.reset();
  out_.discard();
  draws_ = false;
  terminal_.switch_to(Mode::kFound);
}

void FullScreen::watch_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  for (const int signum : {SIGINT, SIGTERM, SIGHUP}) {
    signals_.push_back(
        std::make_unique<loop::SignalWatch>(loop_, signum, [this](int n) { on_stop_signal(n); }));
  }
  // In the background, writing to the terminal or setting its modes would stop this process.
  for (const int signum : {SIGTTIN, SIGTTOU}) std::signal(signum, SIG_IGN);
  signals_.push_back(std::make_unique<loop::SignalWatch>(loop_, SIGWINCH, [this](int) { draw(); }));
  // While we were stopped, another program may have changed the terminal's modes.
  signals_.push_back(std::make_unique<loop::SignalWatch>(loop_, SIGCONT, [this](int) {
    if (child_ != 0) return;
    leave_terminal();
    take_terminal();
  }));
}

// If a command has the terminal, it gets the signal, so that it can restore the terminal first; but
// not SIGINT, because Ctrl-C has reached it already.
void FullScreen::on_stop_signal(int signum) {
  if (child_ != 0 && signum == SIGINT) return;
  if (child_ == 0) return end(128 + signum);
  code_ = 128 + signum;
  ::kill(child_, signum);
  end_timer_.start(kChildEndsMs, [this] { end(code_); });
}

void FullScreen::end(int code) {
  code_ = code;
  ended_ = true;
  loop_.stop();
}

// An orphaned process group could not be continued, so the kernel ignores the signal there and
// raise() returns at once.
void FullScreen::suspend() {
  if (child_ != 0) return;
  leave_terminal();
  ::raise(SIGTSTP);
  take_terminal();
}

void FullScreen::on_keys() {
  if (!ui::in_foreground()) {  // the keys were typed for another program
    leave_terminal();
    take_terminal();
    return;
  }
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return end(128 + SIGHUP);  // the terminal is gone
  escape_timer_.stop();
  take_inputs(reader_.feed({buffer.data(), static_cast<size_t>(n)}));
  if (reader_.waits() && taken_) {
    escape_timer_.start(kEscapeMs, [this] { take_inputs(reader_.flush()); });
  }
}

// Input that came together with a key that gives the terminal away is dropped.
void FullScreen::take_inputs(const std::vector<ui::TerminalInput>& inputs) {
  for (const ui::TerminalInput& input : inputs) {
    show_.on_input(input);
    if (!taken_ || ended_) return;
  }
  draw();
}

void FullScreen::run_command(const std::vector<std::string>& words) {
  leave_terminal();
  if (const int failure = spawn_at_terminal(words, child_)) {
    child_ = 0;
    show_.on_command_ended(base::system_error("failed", failure).text);
    take_terminal();
    return;
  }
  child_watch_ = std::make_unique<loop::ChildWatch>(loop_, child_, [this] { on_command_ended(); });
}

void FullScreen::on_command_ended() {
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = 0;
  child_watch_.reset();
  if (end_timer_.active()) return end(code_);
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  show_.on_command_ended(well ? "" : "ended with " + std::to_string(code));
  take_terminal();
}

// Draws nothing while the terminal has not taken the last frame; after that, draws the newest
// state.
void FullScreen::draw() {
  if (!taken_ || draws_) return;
  const term::Size size = ui::terminal_size().value_or(term::Size{80, 24});
  ui::Canvas canvas(size);
  show_.draw(canvas);
  const std::string bytes = painter_.paint(canvas);
  if (bytes.empty()) return;
  out_.write(bytes);
  if (out_.waiting_bytes() == 0) return;
  draws_ = true;
  out_.when_drained([this] {
    draws_ = false;
    draw();
  });
}

}  // namespace orch::cli
