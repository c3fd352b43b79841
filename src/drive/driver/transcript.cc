#include "driver/transcript.h"

#include <algorithm>
#include <utility>

#include "detect/row_text.h"

namespace orch::driver {
namespace {

// A row has settled if it has not changed for this long, which is longer than the pauses between
// two pieces of a streamed answer.
constexpr TimeMs kRestMs = 700;
constexpr TimeMs kPlainRestMs = 100;  // a plain program writes each row once
// The same for the last row: more may be written to it, unless it ends a sentence.
constexpr TimeMs kLastRestMs = 3'000;
constexpr size_t kMaxLine = size_t{1} << 20;  // bytes; a longer line is reported in pieces

bool is_blank(std::string_view row) { return row.find_first_not_of(' ') == std::string_view::npos; }

bool ends_sentence(std::string_view row) {
  for (const std::string_view end : {".", "!", "?", ":", ";", ")", "。", "！", "？", "：", "）"}) {
    if (row.ends_with(end)) return true;
  }
  return false;
}

}  // namespace

void Transcript::ViewRow::begin(TimeMs now) {
  since = now;
  told = line = header = false;
  said = 0;
  speaker = Speaker::kChrome;
}

Transcript::Transcript(const adapters::TranscriptSpec& spec, const std::string& user_message)
    : Transcript(std::make_shared<const Speakers>(spec, user_message)) {}

Transcript::Transcript(std::shared_ptr<const Speakers> speakers)
    : shared_speakers_(std::move(speakers)) {
  if (speakers_.plain()) speaker_ = Speaker::kAgent;
}

void Transcript::scrolled_off(ScreenRow& row) {
  speakers_.cut_margin(row.text);
  const auto seen = std::find_if(view_.begin(), view_.end(), [&row](const ViewRow& candidate) {
    return candidate.told && candidate.row.text == row.text;
  });
  const bool blank = is_blank(row.text);
  if (seen == view_.end() || blank) {
    if (!blank) note_drawn_anew(row.text);
    add(row, speaker_);
    return;
  }
  scrolled_ = true;
  end_line(speaker_);
  speaker_ = seen->speaker;
  blank_pending_ = false;
  live_ -= std::min(live_, static_cast<size_t>(seen + 1 - view_.begin()));
  view_.erase(view_.begin(), seen + 1);
}

void Transcript::screen_replaced(TimeMs now) {
  screen_cleared(now);
  if (!speakers_.plain()) speaker_ = Speaker::kChrome;
}

void Transcript::finish() {
  if (speakers_.plain()) live_ = view_.size();
  settle();
  end_line(speaker_);
  end_redraw();
}

const Speakers::Marks& Transcript::marks_of(const ViewRow& row) const {
  if (!row.marks) row.marks = speakers_.marks(row.row);
  return *row.marks;
}

const Transcript::Readings& Transcript::read(const View& view, size_t end, Speaker above) const {
  thread_local Readings readings;  // one for all: to read rows allocates nothing
  readings.assign(end, Speakers::Reading{above, false});
  Speaker speaker = above;
  for (size_t i = 0; i < end; ++i) {
    if (view[i].header) continue;
    if (view[i].blank()) {
      readings[i].speaker = speakers_.after_blank(speaker);
    } else if (view[i].told || view[i].said > 0) {
      readings[i] = {view[i].speaker, view[i].speaker != Speaker::kChrome};
    } else {
      readings[i] = speakers_.read(marks_of(view[i]), speaker);
    }
    speaker = readings[i].speaker;
  }
  return readings;
}

// The first row of a tool whose output may still change, and with it all rows below: the tool is
// running, or no line follows it.
size_t Transcript::before_unfinished(const Readings& readings) const {
  if (speakers_.plain()) return live_;
  size_t paragraph = 0;  // the first row of the paragraph that row i is in
  size_t tool = live_;   // the first row of the last line's paragraph, if that line is a tool's
  for (size_t i = 0; i < live_; ++i) {
    if (view_[i].blank()) {
      paragraph = i + 1;
      continue;
    }
    if (!view_[i].told && speakers_.may_change(marks_of(view_[i]))) return paragraph;
    if (readings[i].line) tool = readings[i].speaker == Speaker::kTool ? paragraph : live_;
  }
  return tool;
}

TimeMs Transcript::rest_ms(size_t row, bool grows) const {
  if (speakers_.plain()) return kPlainRestMs;
  return grows && !redrawing() && !ends_sentence(view_[row].row.text) ? kLastRestMs : kRestMs;
}

TimeMs Transcript::settle_rested(TimeMs now) {
  const Readings& readings = read(view_, live_, speaker_);
  const auto is_line = [&](size_t i) { return !view_[i].blank() && readings[i].line; };
  size_t last = live_;
  while (last > 0 && !is_line(last - 1)) --last;
  if (last == 0) forget_cleared(now);
  last = std::min(last, before_unfinished(readings));
  while (last > 0 && !is_line(last - 1)) --last;
  size_t rested = 0;
  TimeMs next = redraw_awaited_ ? base::kNever : redraw_ends_;
  for (size_t i = 0; i < last; ++i) {
    if (is_line(i) && !view_[i].told) {
      const TimeMs due =
          view_[i].since + rest_ms(i, i + 1 == last && readings[i].speaker == Speaker::kAgent);
      if (due > now) {
        next = std::min(next, due);
        break;
      }
    }
    rested = i + 1;
  }
  settle(rested);
  return next;
}

void Transcript::settle() {
  settle(live_);
  if (!redrawn_.empty()) forget_or_end_redraw();
  release();
}

void Transcript::settle_before_tool() {
  settle(before_unfinished(read(view_, live_, speaker_)));
  release();
}

void Transcript::settle_followed() {
  const Readings& readings = read(view_, live_, speaker_);
  size_t last = before_unfinished(readings);
  while (last > 0 && (view_[last - 1].blank() || !readings[last - 1].line)) --last;
  if (last > 0) settle(last - 1);
}

void Transcript::settle(size_t settled) {
  settled = std::min(settled, live_);
  while (settled > 0 && settled < view_.size() &&
         (view_[settled - 1].row.wrapped || view_[settled - 1].blank())) {
    --settled;
  }
  Speaker speaker = speaker_;
  for (size_t i = 0; i < settled; ++i) {
    if (!view_[i].header) tell_row(view_[i], speaker);
  }
}

void Transcript::tell_row(ViewRow& row, Speaker& speaker) {
  if (row.told) {
    end_line(speaker);
    speaker = row.speaker;
    blank_pending_ = false;
    return;
  }
  if (row.said > 0) {
    end_line(speaker);
    speaker = row.speaker;
    const std::string rest = after_words(row.row.text, row.said);
    if (!rest.empty()) say({.text = rest, .speaker = speaker}, words_of(rest));
  } else {
    row.line = !row.blank() && speakers_.read(marks_of(row), speaker).line;
    add(row.row, speaker);
    row.speaker = speaker;
  }
  row.told = !row.blank();
}

void Transcript::add(const ScreenRow& row, Speaker& speaker) {
  std::string& partial = partial_.text;
  if (partial.empty() && !row.wrapped) return tell(row, speaker);
  if (partial.empty()) {
    partial_ = row;
  } else {
    partial += row.text;
  }
  if (row.wrapped && partial.size() < kMaxLine) return;
  tell(std::exchange(partial_, {}), speaker);
}

void Transcript::end_line(Speaker& speaker) {
  if (!partial_.text.empty()) tell(std::exchange(partial_, {}), speaker);
}

void Transcript::tell(const ScreenRow& screen_row, Speaker& speaker) {
  const std::string_view row = screen_row.text;
  if (is_blank(row)) {
    blank_pending_ = true;
    speaker = speakers_.after_blank(speaker);
    return;
  }
  const Speakers::Reading reading = speakers_.read(screen_row, speaker);
  speaker = reading.speaker;
  if (!reading.line) return;
  thread_local std::string words;  // one for all: a row without news allocates nothing
  words.clear();
  append_words(row, words);
  if (!redrawing()) return say(line_of(row, speaker, blank_pending_), words);
  if (!words.empty()) add_redrawn(row, words, speaker);
}

Line Transcript::line_of(std::string_view row, Speaker speaker, bool after_blank) {
  constexpr int kMargin = 5;  // columns that agents leave free at the right edge
  Line line = speakers_.line(row, speaker);
  const std::string_view word = std::string_view(line.text).substr(0, line.text.find(' '));
  const bool goes_on = !after_blank && !speakers_.plain() && !speakers_.begins_block(row);
  line.continues = goes_on && static_cast<int>(detect::columns(word)) + 1 > room_ - kMargin;
  room_ = columns_ - static_cast<int>(detect::columns(row));
  return line;
}

void Transcript::say(Line line, std::string_view words) {
  const bool after_blank = std::exchange(blank_pending_, false);
  if (!speakers_.smears()) return say_now(std::move(line), words, after_blank);
  const bool left_behind = held_ && words.starts_with(held_->words) &&
                           (words.size() > held_->words.size() || !after_blank);
  const bool blank_before = left_behind ? held_->after_blank : after_blank;
  if (left_behind) held_.reset();
  release();
  held_ = Held{std::move(line), std::string(words), blank_before};
}

void Transcript::release() {
  if (!held_) return;
  Held held = *std::exchange(held_, std::nullopt);
  say_now(std::move(held.line), held.words, held.after_blank);
}

void Transcript::say_now(Line line, std::string_view words, bool after_blank) {
  if (std::exchange(gap_pending_, false) && line.speaker != Speaker::kUser &&
      line.speaker != Speaker::kNotice) {
    lines_.push_back({.text = "", .speaker = line.speaker, .gap = true});
  }
  // A blank line before a message belongs to the speaker before; one after it, to the message.
  if (after_blank && spoken_) {
    const bool at_message = line.speaker == Speaker::kUser || last_speaker_ == Speaker::kUser;
    lines_.push_back({.text = "", .speaker = at_message ? last_speaker_ : line.speaker});
  }
  last_speaker_ = line.speaker;
  spoken_ = true;
  vanished_.clear();  // the agent has gone on
  if (!speakers_.plain()) told_.add(words, line.speaker);
  lines_.push_back(std::move(line));
}

std::vector<Line> Transcript::take() { return std::exchange(lines_, {}); }

}  // namespace orch::driver
