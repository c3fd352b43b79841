#include "ui/viewer.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "ui/attach_line.h"

namespace orch::ui {
namespace {

using Mode = UserTerminal::Mode;

// Above this many unsent bytes of typed input, this stops reading keys: the terminal keeps the
// rest.
constexpr size_t kMostUnsentBytes = 256 << 10;
constexpr char kCtrlC = '\x03';
// How long leaving waits for a host that does not take the keys typed before.
constexpr int64_t kLeaveMs = 1'000;

}  // namespace

Viewer::Viewer(loop::Loop& loop, Plan plan)
    : loop_(loop),
      plan_(std::move(plan)),
      view_(loop, plan_.ink, [this] { return screen_ ? &*screen_ : nullptr; }),
      keys_(loop, loop::WatchedFd::share(STDIN_FILENO)),
      escape_(loop),
      retry_(loop),
      leaving_(loop) {
  for (const int signum : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
    struct sigaction found {};
    const bool ignored = ::sigaction(signum, nullptr, &found) == 0 && found.sa_handler == SIG_IGN;
    if (ignored) continue;
    signals_.push_back(std::make_unique<loop::SignalWatch>(
        loop, signum, [this](int signal) { on_signal(signal); }));
  }
  signals_.push_back(
      std::make_unique<loop::SignalWatch>(loop, SIGWINCH, [this](int) { on_window_changed(); }));
  signals_.push_back(std::make_unique<loop::SignalWatch>(loop, SIGCONT, [this](int) {
    if (screen_) take_terminal();
  }));
}

Viewer::~Viewer() = default;

Viewer::End Viewer::run() {
  auto client = client::Client::connect(loop_, plan_.state_dir, plan_.session);
  if (!client) return {.kind = End::Kind::kLost, .error = client.error()};
  client_ = std::move(client).value();
  client_->on_drained([this] {
    if (leaving_.active()) return end({.kind = End::Kind::kLeft});
    read_keys();
  });
  client_->attach(plan_.read_only ? std::nullopt : std::optional(window()), *this);
  while (!end_) loop_.run();
  view_.hide();
  keys_.stop();
  terminal_.switch_to(Mode::kFound);
  return *end_;
}

void Viewer::on_started(uint64_t /*events_offset*/) {}

void Viewer::on_event(std::string_view json) {
  const std::optional<event::Record> record = event::parse_record(json);
  if (!record) return;
  if (const auto* change = std::get_if<event::StatusChange>(&record->event)) {
    state_ = event::status_text(change->status, change->cause);
  } else if (const auto* turn = std::get_if<event::Turn>(&record->event)) {
    turns_ = turn->n;
  }
  view_.set_line(line());
}

void Viewer::on_raw(std::string_view bytes) {
  if (!screen_) return;
  screen_->feed(bytes);
  screen_->take_replies();  // the host has answered the agent's queries
  view_.on_changed();
}

void Viewer::on_snapshot(term::Size size, std::string_view bytes) {
  const bool first = !screen_.has_value();
  screen_.emplace(size);
  screen_->feed(bytes);
  screen_->take_replies();
  if (!first) return view_.on_changed();
  view_.set_line(line());
  client_->request(wire::AskStatus{}, [this](const base::Result<wire::Answer>& answer) {
    const auto* report = answer ? std::get_if<wire::StatusReport>(&answer->result) : nullptr;
    if (report == nullptr) return;
    state_ = event::status_text(report->status, report->cause);
    turns_ = report->turns;
    view_.set_line(line());
  });
  take_terminal();
}

void Viewer::on_lagged(const client::Gap& /*gap*/) {}

void Viewer::on_end(std::string_view result_json) {
  end({.kind = End::Kind::kEnded, .result_json = std::string(result_json)});
}

void Viewer::on_lost(const base::Error& error) { end({.kind = End::Kind::kLost, .error = error}); }

// In the background the terminal is not taken; this tries again until we are in the foreground.
void Viewer::take_terminal() {
  if (end_) return;
  view_.hide();
  terminal_.switch_to(Mode::kKeys);  // another process may have left the alternate screen
  if (!terminal_.switch_to(Mode::kTaken)) {
    return retry_.start(kForegroundLookMs, [this] { take_terminal(); });
  }
  retry_.stop();
  view_.show();
  read_keys();
  suspended_ = std::make_unique<loop::SignalWatch>(loop_, SIGTSTP, [this](int) { suspend(); });
}

void Viewer::read_keys() {
  if (view_.shown() && !end_ && !leaving_.active() && client_->unsent_bytes() <= kMostUnsentBytes) {
    keys_.start(loop::kReadable, [this](int) { on_keys(); });
  }
}

void Viewer::on_keys() {
  if (!in_foreground()) {  // the keys are meant for another process
    keys_.stop();
    view_.hide();
    return retry_.start(kForegroundLookMs, [this] { take_terminal(); });
  }
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return on_signal(SIGHUP);  // the terminal is gone
  const attach::DetachKey::Found found = plan_.key.find({buffer.data(), static_cast<size_t>(n)});
  type(found.before);
  if (end_) return;
  if (found.pressed) return leave();
  escape_.stop();
  if (plan_.key.keeps()) escape_.start(attach::kEscapeMs, [this] { type(plan_.key.release()); });
}

// Keys that were typed before the leaving key are sent to the agent before leaving.
void Viewer::leave() {
  keys_.stop();
  if (client_->unsent_bytes() == 0) return end({.kind = End::Kind::kLeft});
  leaving_.start(kLeaveMs, [this] { end({.kind = End::Kind::kLeft}); });
}

// A read-only viewer is also left by the keys that leave a pager.
void Viewer::type(std::string_view bytes) {
  if (plan_.read_only) {
    if (bytes.find_first_of(std::string{kCtrlC, 'q'}) != std::string_view::npos) {
      end({.kind = End::Kind::kLeft});
    }
    return;
  }
  if (!bytes.empty()) client_->type(bytes);
  if (client_->unsent_bytes() > kMostUnsentBytes) keys_.stop();
}

// SIGTSTP comes by kill(1) only: the key Ctrl-Z goes to the agent.
void Viewer::suspend() {
  view_.hide();
  keys_.stop();
  terminal_.switch_to(Mode::kFound);
  suspended_.reset();  // restores the signal's default action
  ::raise(SIGTSTP);
  take_terminal();
}

void Viewer::on_window_changed() {
  if (!plan_.read_only) client_->set_window(window());
  view_.on_window_changed();
}

void Viewer::on_signal(int signum) { end({.kind = End::Kind::kSignalled, .signum = signum}); }

void Viewer::end(End end) {
  if (end_) return;
  end_ = std::move(end);
  loop_.stop();
}

term::Size Viewer::window() const { return window_above_line(); }

std::string Viewer::line() const {
  return text_of({.session = plan_.session.name,
                  .agent = plan_.session.agent,
                  .state = state_,
                  .turns = turns_,
                  .read_only = plan_.read_only,
                  .key = plan_.key.name()});
}

}  // namespace orch::ui
