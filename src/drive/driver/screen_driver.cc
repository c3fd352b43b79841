#include "driver/screen_driver.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "term/keys.h"
#include "term/render.h"

namespace orch::driver {

ScreenDriver::ScreenDriver(const adapters::Manifest& manifest, const detect::RuleSet& rules,
                           term::Size size, TimeMs now, std::shared_ptr<const Speakers> speakers,
                           Conversation conversation)
    : manifest_(manifest),
      view_(manifest, rules, size, now, std::move(speakers), conversation),
      operator_(manifest, conversation == Conversation::kResumed) {}

ScreenDriver::~ScreenDriver() = default;

std::vector<agent::News> ScreenDriver::take_news() { return std::exchange(news_, {}); }

std::string ScreenDriver::on_output(TimeMs now, std::string_view bytes) {
  const bool late = catch_up(now);
  std::string replies = view_.on_output(now, bytes);
  operator_.on_replied(replies);
  for (agent::Line& line : view_.take_flood()) {
    operator_.on_line(line);
    news_.emplace_back(std::move(line));
  }
  if (late) look(now);
  return replies;
}

void ScreenDriver::on_typed(TimeMs now, std::string_view bytes) {
  catch_up(now);
  operator_.on_typed(now, bytes);
  view_.on_input(now, bytes);
  take_from_operator(now);
}

void ScreenDriver::on_resize(TimeMs now, int cols, int rows) {
  catch_up(now);
  view_.on_resize(now, {cols, rows});
}

void ScreenDriver::on_notice(TimeMs now, std::string_view text) {
  catch_up(now);
  view_.on_notice(now, text);
}

void ScreenDriver::on_surroundings(TimeMs now, Surroundings surroundings) {
  const bool changed = surroundings.keyboard_held != surroundings_.keyboard_held ||
                       surroundings.attended != surroundings_.attended ||
                       surroundings.resizable != surroundings_.resizable;
  if (changed) catch_up(now);
  surroundings_ = surroundings;
  if (changed) look(now);
}

void ScreenDriver::on_stopping(TimeMs now) {
  catch_up(now);
  view_.close_transcript(now);
  take(now, view_.on_timer(now));
}

void ScreenDriver::on_exit(TimeMs now) {
  take(now, view_.on_exit(now));
  operator_.on_exit();
  take_from_operator(now);
}

// A look is made when its millisecond is over, so that it sees all output of that millisecond.
TimeMs ScreenDriver::next_deadline() const {
  const TimeMs due = view_.next_deadline();
  return std::min(due == base::kNever ? due : due + 1, operator_.next_deadline());
}

void ScreenDriver::on_timer(TimeMs now) {
  catch_up(now);
  look(now);
}

void ScreenDriver::command(TimeMs now, const agent::Command& command) {
  operator_.command(now, command);
  look(now);
}

// Does the work that was due before `until`, and returns whether there was any. The owner may come
// to a timer late, in a flood of output or on a busy machine. Each look is then made with its due
// time, and before newer output is taken, so that a replay gets the same result. Looks that are due
// at `until` itself wait: a recording does not say whether a timer or the output of the same
// millisecond was first.
bool ScreenDriver::catch_up(TimeMs until) {
  bool any = false;
  for (TimeMs due = view_.next_deadline(); due < until; due = view_.next_deadline()) {
    take(due, view_.on_timer(due));
    any = true;
  }
  return any;
}

// The lines settled before the status changed, so they belong to the turn that the change ends.
void ScreenDriver::take(TimeMs now, Sighting sighting) {
  for (agent::Line& line : sighting.lines) {
    operator_.on_line(line);
    news_.emplace_back(std::move(line));
  }
  for (event::StatusChange& change : sighting.changes) {
    operator_.on_status(now, change);
    news_.emplace_back(std::move(change));
    take_from_operator(now);
  }
}

void ScreenDriver::look(TimeMs now) {
  InputView view = view_of(view_.detector(), view_.screen());
  view.canonical = surroundings_.canonical;
  view.keyboard_busy = surroundings_.keyboard_held;
  view.attended = surroundings_.attended;
  view.resizable = surroundings_.resizable;
  operator_.look(now, view, view_.detector(), view_.screen());
  take_from_operator(now);
}

// The typed bytes are shown to the detector, which infers the agent's reaction from them.
void ScreenDriver::take_from_operator(TimeMs now) {
  for (std::string& bytes : operator_.take_writes()) {
    view_.on_input(now, bytes);
    writes_.push_back(std::move(bytes));
  }
  std::vector<agent::News> news = operator_.take_news();
  std::move(news.begin(), news.end(), std::back_inserter(news_));
}

std::string ScreenDriver::quit_bytes() const {
  const auto cursor_keys = view_.screen().modes().application_cursor
                               ? term::CursorKeys::kApplication
                               : term::CursorKeys::kNormal;
  std::string bytes;
  for (const std::string& key : manifest_.quit.keys) {
    bytes += term::key_bytes(key, cursor_keys).value_or("");
  }
  return bytes;
}

std::string ScreenDriver::text() const { return term::render_text(view_.screen()); }

}  // namespace orch::driver
