#include "cli/top.h"

#include <utility>

#include "cli/top_rows.h"
#include "client/end_session.h"
#include "client/sessions.h"
#include "peer/peer_process.h"
#include "run/machine.h"
#include "store/queued_session.h"
#include "ui/dialog_prompt.h"
#include "ui/top_view.h"

namespace orch::cli {
namespace {

constexpr int64_t kDecidedMs = run::kLongestAnswerMs + client::kAnswerMs;

}  // namespace

Top::Top(Plan plan)
    : plan_(std::move(plan)),
      screen_(plan_.ink, *this),
      watch_(screen_.loop(), plan_.place.state_dir, [this] { on_sessions(); }) {}

int Top::run() {
  screen_.start();
  watch_.start();
  return screen_.run();
}

void Top::on_input(const ui::TerminalInput& input) { act(model_.on_input(input, now_ms())); }

void Top::act(const ui::TopAction& action) {
  namespace top = ui::top;
  if (std::holds_alternative<top::Leave>(action)) return screen_.end(0);
  if (std::holds_alternative<top::Suspend>(action)) return screen_.suspend();
  if (std::holds_alternative<top::Redraw>(action)) return screen_.forget();
  if (const auto* wanted = std::get_if<top::Attach>(&action)) return attach(wanted->key);
  if (const auto* wanted = std::get_if<top::Answer>(&action)) return answer(*wanted);
  if (const auto* wanted = std::get_if<top::Kill>(&action)) return kill(wanted->key);
}

void Top::attach(const std::string& key) { screen_.run_command(plan_.attach(key)); }

void Top::on_command_ended(const std::string& trouble) {
  if (!trouble.empty()) say("attach " + trouble);
  watch_.look_now();
}

void Top::answer(const ui::top::Answer& wanted) {
  const std::string name = watch_.sessions().at(wanted.key).view.record.name;
  say(name + ": answering " + ui::word_of(wanted.choice));
  watch_.request(
      wanted.key, wire::AnswerDialog{.dialog = wanted.dialog, .choice = wanted.choice},
      [this, name, choice = wanted.choice](const base::Result<wire::Answer>& answer) {
        if (!answer) model_.on_answer_failed();
        say(answer ? name + ": answered " + ui::word_of(choice) : answer.error().text);
        watch_.look_now();
      },
      kDecidedMs);
}

// Ends a session. A queued one is taken out of the queue; if the host of a session is gone, its
// leftovers are removed.
void Top::kill(const std::string& key) {
  const auto session = watch_.sessions().find(key);
  if (session == watch_.sessions().end()) return;
  const store::SessionRecord& record = session->second.view.record;
  const std::string name = record.name;
  if (record.status == store::SessionStatus::kQueued) {
    if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
      return say(name + ": " + refusal);
    }
    const store::Presence taken = store::unqueue_session(plan_.place.state_dir, key);
    say(taken.is_unknown()   ? name + ": " + taken.error().text
        : taken.is_present() ? name + ": taken out of the queue"
                             : name + " begins; ask again");
    return watch_.look_now();
  }
  if (record.status != store::SessionStatus::kRunning) {
    const base::Status removed = client::remove_dead_session(plan_.place.state_dir, record);
    const bool may_live = !removed && removed.error().code == base::ErrorCode::kUsage;
    say(removed    ? name + ": removed"
        : may_live ? name + ": it may live; see orch kill --now"
                   : removed.error().text);
    return watch_.look_now();
  }
  say(name + ": ending");
  watch_.request(key, wire::Kill{}, [this, name](const base::Result<wire::Answer>& answer) {
    if (!answer) say(answer.error().text + "; orch kill --now ends it all the same");
    watch_.look_now();
  });
}

void Top::on_sessions() {
  std::vector<ui::TopSession> rows;
  const int64_t now = now_ms();
  for (const auto& [key, session] : watch_.sessions()) {
    const store::SessionRecord& record = session.view.record;
    if (plan_.here && !client::is_here(plan_.place, record.repository, record.cwd)) continue;
    rows.push_back(top_row(session, now));
  }
  model_.update(std::move(rows));
  model_.stand(client::limits_text(plan_.place.state_dir));
  screen_.draw();
}

void Top::say(const std::string& message) {
  model_.say(message, now_ms());
  screen_.draw();
}

void Top::draw(ui::Canvas& canvas) {
  model_.resize(canvas.size());
  ui::draw_top(model_, now_ms(), canvas);
  model_.on_drawn(now_ms());
}

}  // namespace orch::cli
