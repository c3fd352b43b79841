#include "ui/live_session.h"

#include <optional>
#include <utility>

#include "attach/detach_key.h"
#include "ui/live_view.h"
#include "ui/user_terminal.h"

namespace orch::ui {

LiveSession::LiveSession(loop::Loop& loop, Ink ink, Callbacks callbacks)
    : loop_(loop), ink_(ink), callbacks_(std::move(callbacks)), escape_(loop) {}

void LiveSession::begin(host::HostedSession& session) { session_ = &session; }

void LiveSession::end() {
  session_ = nullptr;
  escape_.stop();
  rows_.clear();
  prompt_.show(nullptr, 0, 0);
}

// While the agent is in the middle of a frame, the rows stay as they were, but not for ever.
std::vector<std::string> LiveSession::rows() {
  constexpr int kMostHalfFrames = 10;
  if (session_ == nullptr) return {};
  const session::Session& session = session_->session();
  const term::Size window = terminal_size().value_or(term::Size{});
  const std::optional<run::WaitingDialog> dialog = session.waiting_dialog();
  const term::Screen* screen = session.driver().screen();
  const bool is_half = !dialog && screen != nullptr && screen->modes().synchronized;
  if (is_half && window == window_ && ++half_frames_ < kMostHalfFrames) return rows_;
  half_frames_ = 0;
  window_ = window;
  const run::WaitingDialog* shown = dialog && live_view_fits(window) ? &*dialog : nullptr;
  prompt_.show(shown, live_dialog_columns(window), live_dialog_height(window));
  rows_ = live_rows({.session = session_->record().name,
                     .agent = session_->record().agent,
                     .screen = screen,
                     .dialog = shown,
                     .page = &prompt_.page(),
                     .note = prompt_.note()},
                    window, ink_);
  prompt_.on_drawn(loop_.now_ms());
  return rows_;
}

void LiveSession::on_keys(std::string_view bytes) {
  escape_.stop();
  act(prompt_.on_input(keys_.feed(bytes), loop_.now_ms()));
  if (keys_.waits()) escape_.start(attach::kEscapeMs, [this] { keys_.flush(); });
}

void LiveSession::act(const PromptAction& action) {
  if (session_ == nullptr) return;
  const std::string name = "orch: " + session_->record().name;
  if (const auto* wanted = std::get_if<prompt::Answer>(&action)) return answer(*wanted);
  if (std::holds_alternative<prompt::TakeOver>(action)) return callbacks_.take_over();
  if (std::holds_alternative<prompt::Turned>(action)) return callbacks_.on_changed();
  if (const auto* refused = std::get_if<prompt::Refused>(&action)) {
    callbacks_.say("orch: " + refusal_of(refused->verdict, session_->record().name) + "\n");
  }
}

void LiveSession::answer(const prompt::Answer& wanted) {
  const std::string name = "orch: " + session_->record().name, word = word_of(wanted.choice);
  const auto on_answered = [this, name, word](const base::Status& answered) {
    if (!answered) prompt_.on_answer_failed();
    callbacks_.say(name + ": " + (answered ? "answered " + word : answered.error().text) + "\n");
  };
  prompt_.on_answering("answering " + word);
  const base::Status taken =
      session_->session().answer({.dialog = wanted.dialog, .choice = wanted.choice}, on_answered);
  if (!taken) on_answered(taken);
  callbacks_.on_changed();
}

}  // namespace orch::ui
