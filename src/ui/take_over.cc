#include "ui/take_over.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "term/render.h"

namespace orch::ui {
namespace {

using Mode = UserTerminal::Mode;

constexpr char kKey = '\x1d';  // Ctrl-]
constexpr int64_t kFrameMs = 33;
// A shell that brings a running program back to the foreground does not tell it.
constexpr int64_t kRetryMs = 500;
// How many frames that the agent has not drawn to their end are passed over: terminals, too, show
// what there is when the end of a synchronised frame does not come.
constexpr int kMostHalfFrames = 5;

// The first of the `count` rows that are shown: those at the end of what the screen holds.
int first_row_shown(const term::Screen& screen, int count) {
  int last = screen.size().rows - 1;
  std::string text;
  for (; last > screen.cursor_row(); --last) {
    screen.append_row_text(last, text);
    if (!text.empty()) break;
  }
  return std::max(last + 1 - count, 0);
}

}  // namespace

bool can_take_over() { return UserTerminal::is_ours(); }

TakeOver::TakeOver(loop::Loop& loop, Callbacks callbacks)
    : loop_(loop),
      callbacks_(std::move(callbacks)),
      keys_(loop, STDIN_FILENO),
      frame_timer_(loop),
      retry_(loop),
      out_(loop, STDERR_FILENO),
      continued_(loop, SIGCONT, [this](int) { on_continued(); }),
      window_changed_(loop, SIGWINCH, [this](int) { on_window_changed(); }) {}

void TakeOver::begin(session::Session& session) {
  session_ = &session;
  listen();
}

void TakeOver::end() {
  hand_back();
  session_ = nullptr;
  keys_.stop();
  retry_.stop();
  suspended_.reset();
  terminal_.switch_to(Mode::kFound);
}

bool TakeOver::listen() {
  if (keys_.active()) return true;
  if (session_ == nullptr) return false;
  if (!terminal_.switch_to(Mode::kKeys)) {
    retry_.start(kRetryMs, [this] { listen(); });
    return false;
  }
  retry_.stop();
  keys_.start(loop::kReadable, [this](int) { on_keys(); });
  struct sigaction found {};
  const bool ignored = ::sigaction(SIGTSTP, nullptr, &found) == 0 && found.sa_handler == SIG_IGN;
  if (!ignored) {
    suspended_ = std::make_unique<loop::SignalWatch>(loop_, SIGTSTP, [this](int) { on_suspend(); });
  }
  return true;
}

void TakeOver::take() {
  callbacks_.on_taken();
  if (!terminal_.switch_to(Mode::kTaken)) return callbacks_.on_handed_back();
  taken_ = true;
  session_->hold_keyboard(true, true);
  drawn_.clear();
  draw();
}

void TakeOver::hand_back() {
  if (!taken_) return;
  taken_ = false;
  frame_timer_.stop();
  out_.discard();
  terminal_.switch_to(Mode::kKeys);
  session_->hold_keyboard(false, true);
  callbacks_.on_handed_back();
}

void TakeOver::on_keys() {
  if (!in_foreground()) {  // they are typed for somebody else
    keys_.stop();
    hand_back();
    retry_.start(kRetryMs, [this] { listen(); });
    return;
  }
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n > 0) return on_bytes({buffer.data(), static_cast<size_t>(n)});
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  keys_.stop();  // the terminal is gone
  hand_back();
}

void TakeOver::on_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = std::min(bytes.find(kKey), bytes.size());
    if (taken_ && length > 0) session_->type(std::string(bytes.substr(0, length)));
    if (length == bytes.size()) return;
    bytes.remove_prefix(length + 1);
    taken_ ? hand_back() : take();
  }
}

// Nobody could continue an orphaned process group, nor the first process of a container: there the
// system ignores the signal, and this returns at once.
void TakeOver::on_suspend() {
  hand_back();
  callbacks_.on_taken();
  keys_.stop();
  terminal_.switch_to(Mode::kFound);
  suspended_.reset();  // what the signal does by itself is what is wanted
  ::raise(SIGTSTP);
  listen();
  callbacks_.on_handed_back();
}

// Whoever had the terminal meanwhile may have left it in modes of theirs.
void TakeOver::on_continued() {
  keys_.stop();
  suspended_.reset();
  hand_back();
  listen();
}

void TakeOver::on_drawn() { redraw_soon(); }

// What it showed is no longer there, or no longer in its place.
void TakeOver::on_window_changed() {
  drawn_.clear();
  redraw_soon();
}

// One frame after another, as fast as the terminal takes them.
void TakeOver::redraw_soon() {
  if (!taken_ || frame_timer_.active()) return;
  frame_timer_.start(kFrameMs, [this] { out_.when_drained([this] { draw(); }); });
}

void TakeOver::draw() {
  if (!taken_) return;
  const term::Screen* screen = session_->driver().screen();
  if (screen == nullptr) return;
  if (screen->modes().synchronized && ++half_frames_ < kMostHalfFrames) return redraw_soon();
  half_frames_ = 0;
  std::string next = frame(*screen);
  if (next == drawn_) return;
  drawn_ = next;
  out_.write(std::move(next));
}

// With the modes that decide what the person's terminal sends for arrows and pasted text.
std::string TakeOver::frame(const term::Screen& screen) const {
  const term::Modes& modes = screen.modes();
  const int count = std::min(screen.size().rows, terminal_size().value_or(screen.size()).rows);
  std::string bytes = "\x1b[?2026h";
  bytes += modes.application_cursor ? "\x1b[?1h" : "\x1b[?1l";
  bytes += modes.bracketed_paste ? "\x1b[?2004h" : "\x1b[?2004l";
  bytes += term::render_ansi(screen, first_row_shown(screen, count), count);
  return bytes + "\x1b[?2026l";
}

}  // namespace orch::ui
