#include "watched_view.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/text.h"

using orch::base::kNever;
using orch::event::AgentStatus;

namespace {

// How many looks at the screen must confirm a status at least. An exit needs none.
int looks_needed(AgentStatus status) {
  switch (status) {
    case AgentStatus::kExited:
      return 0;
    case AgentStatus::kStarting:
    case AgentStatus::kWorking:
      return 1;
    case AgentStatus::kIdle:
    case AgentStatus::kWaiting:
    case AgentStatus::kError:
      return 2;
  }
  return 0;
}

// Whether it is well-formed and has no control character but tabs. A line may have invisible
// characters, as the screen had them: whoever prints it writes them out.
bool is_text(std::string_view text) {
  if (orch::base::invalid_utf8_at(text)) return false;
  while (!text.empty()) {
    const orch::base::Decoded c = orch::base::decode_utf8(text);
    if (c.code_point < 0x20 && c.code_point != '\t') return false;
    if (c.code_point >= 0x7F && c.code_point < 0xA0) return false;
    text.remove_prefix(c.length);
  }
  return true;
}

}  // namespace

WatchedView::WatchedView(const orch::adapters::Manifest& manifest,
                         const orch::detect::RuleSet& rules, orch::term::Size size)
    : view_(manifest, rules, size, 0) {}

void WatchedView::wait(TimeMs ms) {
  const TimeMs until = now_ + ms;
  for (TimeMs due = view_.next_deadline(); due < until; due = view_.next_deadline()) {
    run_timer(std::max(due, now_));
  }
  now_ = until;
  check_early_timer();
}

void WatchedView::sleep(TimeMs ms) { now_ += ms; }

void WatchedView::output(std::string_view bytes, size_t piece) {
  if (piece == 0) piece = std::max<size_t>(1, bytes.size());
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    view_.on_output(now_, bytes.substr(0, piece));
    const orch::term::Screen& screen = view_.screen();
    if (screen.modes().alternate && screen.synchronized_frames() == 0) told_.by_piece = true;
  }
}

void WatchedView::input(std::string_view bytes) { view_.on_input(now_, bytes); }

void WatchedView::notice(std::string_view text) { view_.on_notice(now_, text); }

void WatchedView::resize(orch::term::Size size) { view_.on_resize(now_, size); }

void WatchedView::exit() {
  // Every row comes to rest once, and each status may need to be confirmed.
  int timers = 32 + 2 * view_.screen().size().rows;
  // The process ends a minute later, not with the last timer: when that runs may depend, like the
  // lines, on how the output was cut.
  const TimeMs end = now_ + 60'000;
  for (TimeMs due = view_.next_deadline(); due != kNever; due = view_.next_deadline()) {
    run_timer(std::max(due, now_));
    ORCH_CHECK(--timers > 0);
  }
  now_ = std::max(now_, end);
  exited_ = true;
  keep(view_.on_exit(now_));
  ORCH_CHECK(status_ == AgentStatus::kExited);
}

void WatchedView::run_timer(TimeMs at) {
  const uint64_t evaluations = view_.detector().counters().evaluations;
  now_ = at;
  keep(view_.on_timer(at));
  ORCH_CHECK(view_.next_deadline() > at);  // otherwise the owner would loop for ever
  if (view_.detector().counters().evaluations > evaluations) check_layout();
}

// Checks that a timer that runs before its time changes nothing.
void WatchedView::check_early_timer() {
  const TimeMs due = view_.next_deadline();
  if (due <= now_) return;
  orch::driver::Sighting sighting = view_.on_timer(now_);
  ORCH_CHECK(sighting.changes.empty());
  ORCH_CHECK(view_.next_deadline() == due);
  keep(std::move(sighting));
}

void WatchedView::keep(orch::driver::Sighting sighting) {
  for (orch::agent::Line& line : sighting.lines) {
    ORCH_CHECK(is_text(line.text));
    told_.lines.push_back(std::move(line));
  }
  ORCH_CHECK(sighting.changes.size() <= (exited_ ? 2 : 1));
  for (const orch::event::StatusChange& change : sighting.changes) keep(change);
  ORCH_CHECK(view_.detector().status() == status_);
}

void WatchedView::keep(const orch::event::StatusChange& change) {
  ORCH_CHECK(change.from == status_);
  ORCH_CHECK(change.status != status_ || change.cause != cause_);
  ORCH_CHECK(change.status != AgentStatus::kStarting);
  ORCH_CHECK(change.status != AgentStatus::kExited || exited_);
  ORCH_CHECK(orch::event::allowed(change.status, change.cause));
  ORCH_CHECK(change.row >= -1 && change.row < view_.screen().size().rows);
  ORCH_CHECK(change.samples >= looks_needed(change.status) && change.lag_ms >= 0);
  if (change.rule.empty()) {  // only a typed key and the exit have no rule
    ORCH_CHECK(change.status == AgentStatus::kWorking || change.status == AgentStatus::kExited);
  } else {
    ORCH_CHECK(change.rule.starts_with(view_.detector().rules().agent + "/"));
  }
  status_ = change.status;
  cause_ = change.cause;
  told_.changes.emplace_back(now_, change);
}

// Checks that the layout and the rows that the rules looked at lie on the screen.
void WatchedView::check_layout() const {
  const orch::detect::Detector& detector = view_.detector();
  const orch::detect::Layout& layout = detector.layout();
  const int rows = detector.rows().count();
  const auto inside = [&layout](orch::detect::RowRange range) {
    return 0 <= range.begin && range.begin <= range.end && range.end <= layout.used;
  };
  ORCH_CHECK(0 <= layout.used && layout.used <= rows);
  ORCH_CHECK(inside(layout.choices) && inside(layout.dialog));
  ORCH_CHECK(0 <= layout.turn_begin && layout.turn_begin <= layout.used);
  if (layout.box) {
    ORCH_CHECK(inside(layout.box_rows) && inside({layout.box_top, layout.box_end}));
  }
  ORCH_CHECK(detector.latest().row < rows);
  const orch::detect::DialogView dialog = detector.dialog();
  ORCH_CHECK(dialog.cursor < static_cast<int>(dialog.options.size()));
}
