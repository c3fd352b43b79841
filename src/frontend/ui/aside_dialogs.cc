#include "ui/aside_dialogs.h"

#include <algorithm>
#include <utility>

#include "ui/user_terminal.h"

namespace orch::ui {

AsideDialogs::AsideDialogs(loop::Loop& loop, Ink ink,
                           std::function<void(const std::string& lines)> say)
    : say_(std::move(say)),
      dialogs_(loop, ink, LiveSessions::Place::kAside,
               {say_,
                [this](host::HostedSession& session) {
                  say_("orch: on another terminal: orch attach " + session.record().issue + "\n");
                },
                [this] { look(); }}),
      keys_(loop, ink,
            {.on_taken = [] {},
             .on_handed_back = [] {},
             .on_keys = [this](std::string_view bytes) { dialogs_.on_keys(bytes); },
             .session_to_take = [] { return nullptr; }}),
      again_(loop) {}

void AsideDialogs::begin(host::HostedSession& session) {
  sessions_.push_back(&session);
  dialogs_.begin(session);
}

void AsideDialogs::end(const host::HostedSession& session) {
  std::erase(sessions_, &session);
  dialogs_.end(session);
  look();
}

bool AsideDialogs::someone_waits() const {
  return std::any_of(sessions_.begin(), sessions_.end(), [](host::HostedSession* it) {
    return it->session().driver().status() == event::AgentStatus::kWaiting;
  });
}

// A dialog is read a moment after its session began to wait, so this looks again until then.
void AsideDialogs::look() {
  const bool is_shown = !shown_.empty();
  std::vector<std::string> rows;
  if (is_shown || !UserTerminal::is_read_by_another()) rows = dialogs_.rows();
  if (rows.empty() && is_shown) {
    keys_.end();
    shown_.clear();
  }
  if (!rows.empty() && !is_shown) keys_.begin();
  rows.empty() ? name_commands() : show(rows);
  someone_waits() ? again_.start(kForegroundLookMs, [this] { look(); }) : again_.stop();
}

void AsideDialogs::name_commands() {
  for (host::HostedSession* it : sessions_) {
    const std::optional<run::WaitingDialog> dialog = it->session().waiting_dialog();
    if (!dialog || !named_.insert(it->record().name + " " + dialog->id).second) continue;
    say_("orch: " + it->record().name + " waits for you: orch answer " + it->record().issue + "\n");
  }
}

// The last row has the keys, or says that an answer is under way.
void AsideDialogs::show(const std::vector<std::string>& rows) {
  std::string dialog;
  for (size_t i = 0; i + 1 < rows.size(); ++i) dialog += rows[i] + "\n";
  if (dialog == shown_) return;
  shown_ = dialog;
  say_(dialog + rows.back() + "\n");
}

}  // namespace orch::ui
