#include "ui/live_sessions.h"

#include <utility>

#include "attach/detach_key.h"
#include "ui/live_view.h"
#include "ui/user_terminal.h"

namespace orch::ui {

LiveSessions::LiveSessions(loop::Loop& loop, Ink ink, Place place, Callbacks callbacks)
    : loop_(loop), ink_(ink), place_(place), callbacks_(std::move(callbacks)), escape_(loop) {}

void LiveSessions::begin(host::HostedSession& session) { sessions_.push_back(&session); }

void LiveSessions::end(const host::HostedSession& session) {
  std::erase(sessions_, &session);
  if (!sessions_.empty()) return;
  escape_.stop();
  rows_.clear();
  prompt_.show({}, 0, 0);
}

host::HostedSession* LiveSessions::named(const std::string& name) const {
  for (host::HostedSession* session : sessions_) {
    if (session->record().name == name) return session;
  }
  return nullptr;
}

host::HostedSession* LiveSessions::asking() const {
  return prompt_.shown() == nullptr ? nullptr : named(prompt_.shown()->session);
}

// While the agent is in the middle of a frame, the rows stay as they were, but not for ever.
std::vector<std::string> LiveSessions::rows() {
  constexpr int kMostHalfFrames = 10;
  if (sessions_.empty()) return {};
  const term::Size window = terminal_size().value_or(term::Size{});
  std::vector<Asking> asking;
  for (host::HostedSession* session : sessions_) {
    if (auto dialog = session->session().waiting_dialog(); dialog && live_view_fits(window)) {
      asking.push_back({session->record().name, std::move(*dialog)});
    }
  }
  const session::Session& first = sessions_.front()->session();
  const term::Screen* screen = place_ == Place::kSingle ? first.driver().screen() : nullptr;
  const bool is_half = asking.empty() && screen != nullptr && screen->modes().synchronized;
  if (is_half && window == window_ && ++half_frames_ < kMostHalfFrames) return rows_;
  half_frames_ = 0;
  window_ = window;
  prompt_.show(std::move(asking), live_dialog_columns(window), live_dialog_height(window));
  const Asking* shown = prompt_.shown();
  const store::SessionRecord& record = sessions_.front()->record();
  rows_ = live_rows({.session = shown != nullptr ? shown->session : record.name,
                     .agent = record.agent,
                     .screen = screen,
                     .dialog = shown != nullptr ? &shown->dialog : nullptr,
                     .page = &prompt_.page(),
                     .note = prompt_.note(),
                     .others = prompt_.others(),
                     .may_take_over = place_ != Place::kAside},
                    window, ink_);
  prompt_.on_drawn(loop_.now_ms());
  return rows_;
}

void LiveSessions::on_keys(std::string_view bytes) {
  escape_.stop();
  act(prompt_.on_input(keys_.feed(bytes), loop_.now_ms()));
  if (keys_.waits()) escape_.start(attach::kEscapeMs, [this] { keys_.flush(); });
}

void LiveSessions::act(const PromptAction& action) {
  if (const auto* wanted = std::get_if<prompt::Answer>(&action)) return answer(*wanted);
  if (std::holds_alternative<prompt::TakeOver>(action)) {
    if (host::HostedSession* session = asking()) callbacks_.take_over(*session);
  }
  if (std::holds_alternative<prompt::Turned>(action)) return callbacks_.on_changed();
  if (const auto* refused = std::get_if<prompt::Refused>(&action)) {
    callbacks_.say("orch: " + refusal_of(refused->verdict, refused->session) + "\n");
  }
}

void LiveSessions::answer(const prompt::Answer& wanted) {
  host::HostedSession* const session = named(wanted.session);
  if (session == nullptr) return;
  const std::string word = word_of(wanted.choice);
  const auto on_answered = [this, wanted, word](const base::Status& answered) {
    if (!answered) prompt_.on_answer_failed(wanted);
    callbacks_.say("orch: " + wanted.session + ": " +
                   (answered ? "answered " + word : answered.error().text) + "\n");
  };
  prompt_.on_answering(wanted, "answering " + word);
  const base::Status taken =
      session->session().answer({.dialog = wanted.dialog, .choice = wanted.choice}, on_answered);
  if (!taken) on_answered(taken);
  callbacks_.on_changed();
}

}  // namespace orch::ui
