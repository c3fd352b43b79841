#include "ui/take_over.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "ui/attach_line.h"

namespace orch::ui {
namespace {

using Mode = UserTerminal::Mode;

}  // namespace

TakeOver::TakeOver(loop::Loop& loop, Ink ink, Callbacks callbacks)
    : loop_(loop),
      callbacks_(std::move(callbacks)),
      keys_(loop, loop::WatchedFd::share(terminal_.keys())),
      escape_(loop),
      retry_(loop),
      view_(loop, ink,
            [this] { return taken_ != nullptr ? taken_->session().driver().screen() : nullptr; }),
      continued_(loop, SIGCONT, [this](int) { on_continued(); }),
      window_changed_(loop, SIGWINCH, [this](int) { on_window_changed(); }) {}

void TakeOver::begin() {
  begun_ = true;
  listen();
}

void TakeOver::end() {
  hand_back();
  begun_ = false;
  keys_.stop();
  retry_.stop();
  suspended_.reset();
  terminal_.switch_to(Mode::kFound);
}

bool TakeOver::listen() {
  if (keys_.active()) return true;
  if (!begun_) return false;
  if (!terminal_.switch_to(Mode::kKeys)) {
    retry_.start(kForegroundLookMs, [this] { listen(); });
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

void TakeOver::take(host::HostedSession& session) {
  if (taken_ != nullptr || !begun_) return;
  callbacks_.on_taken();
  if (!terminal_.switch_to(Mode::kTaken)) return callbacks_.on_handed_back();
  taken_ = &session;
  host::Viewers& viewers = session.viewers();
  viewer_ = viewers.join(window_above_line());
  viewers.hold(true);
  view_.set_line(line());
  view_.show();
}

void TakeOver::hand_back() {
  if (taken_ == nullptr) return;
  view_.hide();
  escape_.stop();
  terminal_.switch_to(Mode::kKeys);
  host::Viewers& viewers = std::exchange(taken_, nullptr)->viewers();
  viewers.hold(false);
  viewers.leave(viewer_);
  callbacks_.on_handed_back();
}

void TakeOver::on_session_ends(const host::HostedSession& session) {
  if (taken_ == &session) hand_back();
}

void TakeOver::on_keys() {
  if (!in_foreground()) {  // the keys are meant for another process
    keys_.stop();
    hand_back();
    retry_.start(kForegroundLookMs, [this] { listen(); });
    return;
  }
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(terminal_.keys(), buffer.data(), buffer.size());
  if (n > 0) return on_bytes({buffer.data(), static_cast<size_t>(n)});
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  keys_.stop();  // the terminal is gone
  hand_back();
}

void TakeOver::on_bytes(std::string_view bytes) {
  escape_.stop();
  while (true) {
    const attach::DetachKey::Found found = key_.find(bytes);
    type(found.before);
    if (!found.pressed) break;
    if (taken_ != nullptr) {
      hand_back();
    } else if (host::HostedSession* session = callbacks_.session_to_take()) {
      take(*session);
    }
    bytes = found.rest;
  }
  if (key_.keeps()) escape_.start(attach::kEscapeMs, [this] { type(key_.release()); });
}

void TakeOver::type(std::string_view bytes) {
  if (bytes.empty()) return;
  taken_ != nullptr ? void(taken_->viewers().type(viewer_, bytes)) : callbacks_.on_keys(bytes);
}

// The system ignores SIGTSTP where nobody could continue the process: in an orphaned process group,
// and for the first process of a container. There raise() returns at once.
void TakeOver::on_suspend() {
  hand_back();
  callbacks_.on_taken();
  keys_.stop();
  terminal_.switch_to(Mode::kFound);
  suspended_.reset();  // restores the signal's default action
  was_suspended_ = true;
  ::raise(SIGTSTP);
  listen();
  callbacks_.on_handed_back();
}

// Sets the terminal's modes again, because another process may have changed them during the stop.
void TakeOver::on_continued() {
  keys_.stop();
  suspended_.reset();
  hand_back();
  listen();
}

void TakeOver::on_drawn() {
  if (taken_ == nullptr) return;
  view_.set_line(line());
  view_.on_changed();
}

std::string TakeOver::line() const {
  const driver::Driver& agent = taken_->session().driver();
  return text_of({.session = taken_->record().name,
                  .agent = taken_->record().agent,
                  .state = event::status_text(agent.status(), agent.cause()),
                  .turns = taken_->session().turns(),
                  .key = key_.name()});
}

// The drawing is no longer on the terminal, or has moved.
void TakeOver::on_window_changed() {
  if (taken_ != nullptr) taken_->viewers().on_window(viewer_, window_above_line());
  view_.on_window_changed();
}

}  // namespace orch::ui
