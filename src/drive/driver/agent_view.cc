#include "driver/agent_view.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "detect/pane.h"
#include "detect/typed_keys.h"
#include "driver/ink.h"

namespace orch::driver {

using event::AgentStatus;

namespace {

// How long after output to look for rows that have stopped changing.
constexpr TimeMs kLookMs = 250;
constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr TimeMs kEnterFollowsMs = 5'000;  // a message's Enter, after its paste
constexpr TimeMs kPlainLookMs = 50;  // for a plain program: its lines are reported within 200 ms
// In a flood of output two sightings are 200 ms apart. Megabytes of lines could pile up in that
// time.
constexpr size_t kFloodLines = 1'000;

void read_row(const term::Screen& screen, const term::RowView& row, ScreenRow& read) {
  read.text.clear();
  screen.append_text(row, read.text);
  read.ink = ink_of(screen, row);
  read.shaded = is_shaded(screen, row);
  read.faint = is_faint(screen, row);
  read.wrapped = row.wrapped;
  if (!read.wrapped) return;
  const auto end = std::find_if(row.codes.rbegin(), row.codes.rend(),
                                [](term::CellCode code) { return code != ' '; });
  read.text.append(static_cast<size_t>(end - row.codes.rbegin()), ' ');
}

}  // namespace

// The screen's rows. The cells of a row are looked at only if its stamp has changed.
class AgentView::Shown final : public ShownRows {
 public:
  Shown(const term::Screen& screen, std::vector<RowKey>& keys)
      : screen_(screen), keys_(keys), edge_(detect::pane_edge(screen)) {
    keys_.resize(count());
    for (size_t row = 0; row < keys_.size(); ++row) {
      const int at = static_cast<int>(row);
      const uint64_t stamp = screen_.stamp(at);
      if (keys_[row].stamp != stamp) keys_[row] = {stamp, key_with_ink(screen_.key(at), at)};
    }
  }
  size_t count() const override { return static_cast<size_t>(screen_.size().rows); }
  // The mark of wrapping may change without the stamp.
  uint64_t key(size_t row) const override {
    constexpr int kPane = 40;  // the bits from this one on differ for panes of different widths
    uint64_t key = keys_[row].key;
    if (key == 0) return 0;
    if (edge_ < screen_.size().cols) key ^= static_cast<uint64_t>(edge_) << kPane;
    return screen_.row(static_cast<int>(row)).wrapped ? ~key : key;
  }
  void read(size_t row, ScreenRow& into) const override {
    read_row(screen_, detect::left_of(screen_.row(static_cast<int>(row)), edge_), into);
  }
  int columns() const { return edge_; }  // without a pane

 private:
  uint64_t key_with_ink(uint64_t key, int row) const {
    constexpr int kInkBits = 62, kShadedBit = 61,
                  kFaintBit = 60;  // the lowest is always set: the key stays above 0
    if (key == 0) return 0;
    const auto ink = static_cast<uint64_t>(ink_of(screen_, screen_.row(row)));
    const auto shaded = static_cast<uint64_t>(is_shaded(screen_, screen_.row(row)));
    const auto faint = static_cast<uint64_t>(is_faint(screen_, screen_.row(row)));
    return key ^ ink << kInkBits ^ shaded << kShadedBit ^ faint << kFaintBit;
  }

  const term::Screen& screen_;
  std::vector<RowKey>& keys_;
  int edge_;
};

AgentView::AgentView(const adapters::Manifest& manifest, const detect::RuleSet& rules,
                     term::Size size, TimeMs now, std::shared_ptr<const Speakers> speakers,
                     Conversation conversation)
    : manifest_(manifest),
      screen_(size),
      detector_(rules, now),
      transcript_(speakers == nullptr ? Speakers::of(manifest) : std::move(speakers)),
      earlier_(conversation == Conversation::kResumed) {
  screen_.set_scroll_sink(this);
  if (!manifest.emoji_sequences) screen_.feed(term::kCountCodePoints);
  transcript_.set_columns(size.cols);
}

std::string AgentView::on_output(TimeMs now, std::string_view bytes) {
  now_ = now;
  screen_.feed(bytes);
  detector_.on_output(now, screen_);
  for (const std::string& text : screen_.take_notifications()) {
    detector_.on_notice(now, "osc9 " + text);
  }
  if (transcript_open_) {
    // An agent that draws in synchronised frames is looked at when it ends one.
    if (screen_.synchronized_frames() == 0 && !screen_.modes().synchronized) {
      on_frame_ended(screen_);
    }
    look_at_ = std::min(look_at_, now + (manifest_.idle_known ? kLookMs : kPlainLookMs));
  }
  return screen_.take_replies();
}

void AgentView::on_input(TimeMs now, std::string_view bytes) {
  if (earlier_) pass_over_earlier(now, bytes);
  const bool enters = detect::read_typed(bytes) == detect::TypedKey::kEnter;
  if (enters && event::accepts_input(detector_.status())) transcript_.message_entered();
  detector_.on_input(now, bytes);
}

// Until the first message is submitted, the lines on the screen are those of the resumed
// conversation. They are remembered, in case the agent draws them once more, but not reported. A
// user may type earlier to answer a dialog, so only Enter at the prompt begins a new turn. An agent
// may draw that conversation, and look busy, between a message's paste and its Enter.
void AgentView::pass_over_earlier(TimeMs now, std::string_view typed) {
  if (box_stands()) look(now);
  transcript_.settle();
  take_lines();
  const bool at_prompt = event::accepts_input(detector_.status());
  if (at_prompt && typed.starts_with(kPasteBegins)) pasted_at_ = now;
  const bool enters = detect::read_typed(typed) == detect::TypedKey::kEnter;
  if (enters && (at_prompt || has_paste(now))) earlier_ = false;
}

// Whether a message was pasted into the box a moment ago.
bool AgentView::has_paste(TimeMs now) const {
  return pasted_at_ != base::kNever && now - pasted_at_ < kEnterFollowsMs;
}

std::vector<Line> AgentView::take_lines() {
  std::vector<Line> lines = transcript_.take();
  if (earlier_) lines.clear();
  return lines;
}

void AgentView::on_resize(TimeMs now, term::Size size) {
  now_ = now;
  // Agents lose some of their lines when they redraw the screen for another size.
  if (transcript_open_ && manifest_.idle_known) {
    if (!screen_.modes().synchronized) look_at_last_frame(now);
    transcript_.settle_followed();
  }
  screen_.resize(size);
  keys_.clear();
  transcript_.set_columns(size.cols);
  on_scrollback_cleared();
  detector_.on_resize(now);
}

void AgentView::on_notice(TimeMs now, std::string_view text) { detector_.on_notice(now, text); }

TimeMs AgentView::next_deadline() const { return std::min(detector_.next_deadline(), look_at_); }

Sighting AgentView::on_timer(TimeMs now) {
  Sighting sighting;
  if (detector_.next_deadline() <= now) {
    const AgentStatus before = detector_.status();
    had_box_ = had_box_ || detector_.layout().box;
    if (auto change = detector_.on_timer(now, screen_)) {
      // Some agents begin to work by themselves, without a message.
      const bool begins = before == AgentStatus::kIdle && change->status == AgentStatus::kWorking;
      if (begins && !has_paste(now)) {
        earlier_ = false;
      }
      // The turn is over or waits at a dialog, so the rows above will not be repainted.
      if (change->status != before && change->status != AgentStatus::kWorking) {
        look(now);
        if (change->status == AgentStatus::kWaiting) {
          transcript_.settle_before_tool();
        } else {
          transcript_.settle();
        }
      }
      sighting.changes.push_back(std::move(*change));
    }
  }
  if (look_at_ <= now) {
    settle_rested(now);
  } else if (nothing_to_look_for()) {
    look_at_ = base::kNever;
  }
  sighting.lines = take_lines();
  return sighting;
}

// Whether only the live part of the interface has changed since the last look: a spinner, a clock.
// Agents draw it many times a second, and it needs no look.
bool AgentView::nothing_to_look_for() {
  return rested_ && look_at_ != base::kNever && manifest_.idle_known &&
         screen_.synchronized_frames() > 0 && !screen_.modes().synchronized &&
         screen_.modes().alternate == alternate_ && box_stands() &&
         transcript_.at_rest(Shown(screen_, keys_),
                             static_cast<size_t>(live_top(detector_.layout())));
}

Sighting AgentView::on_exit(TimeMs now) {
  const TimeMs due = detector_.next_deadline();
  Sighting sighting = on_timer(due == base::kNever ? now : std::max(now, due));
  close_transcript(now);
  for (Line& line : take_lines()) sighting.lines.push_back(std::move(line));
  sighting.changes.push_back(detector_.on_exit());
  return sighting;
}

std::vector<Line> AgentView::take_flood() {
  return transcript_.waiting() < kFloodLines ? std::vector<Line>() : take_lines();
}

void AgentView::close_transcript(TimeMs now) {
  if (!transcript_open_) return;
  look(now);
  transcript_.finish();
  transcript_open_ = false;
  look_at_ = base::kNever;
}

void AgentView::on_scrolled_off(const term::Screen& screen, const term::RowView& row) {
  if (!transcript_open_) return;
  rested_ = false;
  thread_local ScreenRow read;  // one for all: a row that scrolls off allocates nothing
  read_row(screen, row, read);
  transcript_.scrolled_off(read);
}

void AgentView::on_scrollback_cleared() {
  rested_ = false;
  transcript_.screen_cleared(now_);
}

// On the alternate screen the application scrolls by itself, which shows only in its frames.
void AgentView::on_frame_ended(const term::Screen& screen) {
  if (transcript_open_ && manifest_.idle_known && screen.modes().alternate && box_stands()) {
    look(now_);
  }
}

// Whether the input box still is where the last sample found it. Since then it may have moved or
// made way for a dialog.
bool AgentView::box_stands() const {
  const detect::Layout& layout = detector_.layout();
  if (!layout.box) return false;
  const auto begins_alike = [this](int row) {
    if (row >= screen_.size().rows) return false;
    thread_local std::string text;
    text.clear();
    screen_.append_row_text(row, text);
    const std::string_view then = detector_.rows()[row].text;
    const auto first = [](std::string_view t) {
      t.remove_prefix(std::min(t.find_first_not_of(' '), t.size()));
      return t.empty() ? U'\0' : base::decode_utf8(t).code_point;
    };
    return first(text) == first(then);
  };
  return begins_alike(layout.box_top) && begins_alike(layout.box_rows.begin);
}

// Whether the rows above the cursor stay as they are: those of a plain program, and of a guessed
// agent before its first box.
bool AgentView::prints_lines() const {
  return !manifest_.idle_known || (manifest_.guessed && !had_box_);
}

// The first row of the live part of the screen: the rows that the interface still draws on.
int AgentView::live_top(const detect::Layout& layout) const {
  if (prints_lines()) return transcript_open_ ? screen_.cursor_row() : screen_.size().rows;
  const bool waiting = detector_.latest().status == AgentStatus::kWaiting;
  // If the agent shows a message in a frame, that frame may look like the input box, which the
  // dialog has in fact replaced.
  const bool replaced = waiting && layout.known && layout.known->begin >= layout.box_end;
  if (layout.box && !replaced) {
    // It is not known which rows over a guessed box are a spinner's, but at rest there is none.
    const bool rests = manifest_.guessed && event::accepts_input(detector_.status());
    return std::max(0, layout.box_top - (rests ? 0 : manifest_.transcript.chrome_rows));
  }
  return waiting ? layout.dialog.begin : layout.used;
}

void AgentView::look(TimeMs now) { look(now, detector_.layout()); }

// Looks at the screen before its rows go. If the input box has moved since the last sample, it is
// looked for anew, but only on screens that are drawn completely.
void AgentView::look_at_last_frame(TimeMs now) {
  if (box_stands()) return look(now);
  if (screen_.synchronized_frames() == 0) return;
  const detect::Layout layout = detector_.layout_of(screen_);
  if (layout.box) look(now, layout);
}

void AgentView::look(TimeMs now, const detect::Layout& layout) {
  rested_ = false;
  const bool alternate = screen_.modes().alternate;
  if (alternate != std::exchange(alternate_, alternate)) transcript_.screen_replaced(now);
  const Shown shown(screen_, keys_);
  transcript_.set_columns(shown.columns());
  transcript_.look(now, shown, static_cast<size_t>(live_top(layout)), alternate);
}

void AgentView::settle_rested(TimeMs now) {
  // Between two reads of one repaint half of the interface is missing, unless the agent uses
  // synchronised frames.
  const bool frames = screen_.synchronized_frames() > 0 && !screen_.modes().synchronized;
  const TimeMs quiet_at = detector_.last_output() + detector_.rules().timing.settle_ms;
  if (now < quiet_at && !frames) {
    look_at_ = quiet_at;
    return;
  }
  // Without an input box it is unknown where the live part of the screen begins.
  if (!prints_lines() && !box_stands()) {
    look_at_ = detector_.layout().box ? now + kPlainLookMs : base::kNever;
    return;
  }
  look(now);
  look_at_ = transcript_.settle_rested(now);
  rested_ = look_at_ == base::kNever;
}

}  // namespace orch::driver
