#include "driver/agent_view.h"

#include <algorithm>

namespace orch::driver {

using event::AgentStatus;

namespace {

// While the agent works, rows that have not changed for this long are taken to be settled: longer
// than the pauses between two pieces of a streamed answer.
constexpr TimeMs kRowRestsMs = 1'000;
// Between two sightings of a flood lie 200 ms, in which megabytes of lines would gather.
constexpr size_t kFloodLines = 1'000;

void read_row(const term::Screen& screen, const term::RowView& row, ScreenRow& to) {
  to.text.clear();
  screen.append_text(row, to.text);
  to.wrapped = row.wrapped;
  if (!to.wrapped) return;
  const auto end = std::find_if(row.codes.rbegin(), row.codes.rend(),
                                [](term::CellCode code) { return code != ' '; });
  to.text.append(static_cast<size_t>(end - row.codes.rbegin()), ' ');
}

}  // namespace

AgentView::AgentView(const adapters::Manifest& manifest, const detect::RuleSet& rules,
                     term::Size size, TimeMs now)
    : manifest_(manifest),
      screen_(size),
      detector_(rules, now),
      transcript_(manifest.transcript, manifest.rules.user_message) {
  screen_.set_scroll_sink(this);
}

std::string AgentView::on_output(TimeMs now, std::string_view bytes) {
  screen_.feed(bytes);
  detector_.on_output(now, screen_);
  for (const std::string& text : screen_.take_notifications()) {
    detector_.on_notice(now, "osc9 " + text);
  }
  if (transcript_open_ && manifest_.transcript.settles_early) {
    resting_at_ = std::min(resting_at_, now + kRowRestsMs);
  }
  return screen_.take_replies();
}

void AgentView::on_input(TimeMs now, std::string_view bytes) { detector_.on_input(now, bytes); }

void AgentView::on_resize(TimeMs now, term::Size size) {
  screen_.resize(size);
  on_scrollback_cleared();
  detector_.on_resize(now);
}

void AgentView::on_notice(TimeMs now, std::string_view text) { detector_.on_notice(now, text); }

TimeMs AgentView::next_deadline() const { return std::min(detector_.next_deadline(), resting_at_); }

Sighting AgentView::on_timer(TimeMs now) {
  Sighting sighting;
  if (detector_.next_deadline() <= now) {
    const AgentStatus before = detector_.status();
    if (auto change = detector_.on_timer(now, screen_)) {
      // The turn is over, or stands at a dialog: what is above it will not be repainted.
      if (change->status != before && change->status != AgentStatus::kWorking) settle(live_top());
      sighting.changes.push_back(std::move(*change));
    }
  }
  if (resting_at_ <= now) {
    // Between two reads of one repaint half of the interface is missing.
    const TimeMs quiet_at = detector_.last_output() + detector_.rules().timing.settle_ms;
    if (now < quiet_at) {
      resting_at_ = quiet_at;
    } else {
      settle_resting_rows(now);
    }
  }
  sighting.lines = transcript_.take();
  return sighting;
}

Sighting AgentView::on_exit(TimeMs now) {
  const TimeMs due = detector_.next_deadline();
  Sighting sighting = on_timer(due == base::kNever ? now : std::max(now, due));
  settle(manifest_.idle_known ? live_top() : screen_.size().rows);
  for (Line& line : transcript_.take()) sighting.lines.push_back(std::move(line));
  sighting.changes.push_back(detector_.on_exit());
  resting_at_ = base::kNever;
  return sighting;
}

std::vector<Line> AgentView::take_flood() {
  return transcript_.waiting() < kFloodLines ? std::vector<Line>() : transcript_.take();
}

void AgentView::close_transcript() {
  transcript_open_ = false;
  resting_at_ = base::kNever;
}

void AgentView::on_scrolled_off(const term::Screen& screen, const term::RowView& row) {
  if (!transcript_open_) return;
  read_row(screen, row, scrolled_);
  transcript_.scrolled_off(scrolled_);
  if (settled_rows_ > 0) --settled_rows_;
}

void AgentView::on_scrollback_cleared() {
  transcript_.screen_cleared();
  settled_rows_ = 0;
}

// The first row that the interface itself still draws on.
int AgentView::live_top() const {
  const detect::Layout& layout = detector_.layout();
  if (!manifest_.idle_known) return screen_.cursor_row();
  if (layout.box) return std::max(0, layout.box_top - manifest_.transcript.chrome_rows);
  return detector_.latest().status == AgentStatus::kWaiting ? layout.dialog.begin : layout.used;
}

void AgentView::settle(int rows) {
  if (!transcript_open_) return;
  std::vector<ScreenRow> all(static_cast<size_t>(screen_.size().rows));
  for (int row = 0; row < screen_.size().rows; ++row) {
    read_row(screen_, screen_.row(row), all[static_cast<size_t>(row)]);
  }
  auto settled = static_cast<size_t>(rows);
  const auto open = [](const ScreenRow& row) { return row.wrapped || row.text.empty(); };
  while (settled > 0 && settled < all.size() && open(all[settled - 1])) --settled;
  settled_rows_ = static_cast<int>(settled);
  transcript_.settle(all, settled);
}

// Rows from the top of the screen that have come to rest, but not the last one above the live part:
// it may still be written to.
void AgentView::settle_resting_rows(TimeMs now) {
  const int count = screen_.size().rows;
  resting_.resize(static_cast<size_t>(count));
  TimeMs next = base::kNever;
  int rested = 0;
  bool unbroken = true;
  const bool whole = detector_.layout().box || !manifest_.idle_known;
  const int last = whole ? live_top() - (manifest_.idle_known ? 1 : 0) : 0;
  for (int i = 0; i < count; ++i) {
    SettledRow& row = resting_[static_cast<size_t>(i)];
    if (row.stamp != screen_.stamp(i)) row = {screen_.stamp(i), detector_.last_output()};
    if (i >= last) continue;
    const bool rests = now - row.since >= kRowRestsMs;
    if (!rests) next = std::min(next, row.since + kRowRestsMs);
    unbroken = unbroken && rests;
    if (unbroken) rested = i + 1;
  }
  resting_at_ = next;
  if (rested > settled_rows_) settle(rested);
}

}  // namespace orch::driver
