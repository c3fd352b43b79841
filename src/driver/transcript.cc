#include "driver/transcript.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "driver/row_places.h"
#include "term/width.h"

namespace orch::driver {
namespace {

// Rows that have not changed for this long are taken to be settled: longer than the pauses between
// two pieces of a streamed answer.
constexpr TimeMs kRestMs = 700;
constexpr TimeMs kPlainRestMs = 100;  // a program's rows are written once
// The last row may still be written to, unless it ends a sentence.
constexpr TimeMs kLastRestMs = 3'000;
// What an agent stops to show comes back within this time, or not at all.
constexpr TimeMs kReturnMs = 1'000;
// A redraw is over when it has shown nothing for so long.
constexpr TimeMs kRedrawMs = 1'000;
// Over an input box that fills the screen the transcript may be out of sight.
constexpr size_t kMinTranscript = 3;          // rows
constexpr size_t kMinRun = 3;                 // rows that are not said again by chance
constexpr size_t kMaxRedrawn = 4'000;         // rows
constexpr size_t kMaxLine = size_t{1} << 20;  // bytes; a line without an end is told in pieces

bool is_blank(std::string_view row) { return row.find_first_not_of(' ') == std::string_view::npos; }

bool ends_sentence(std::string_view row) {
  for (const std::string_view end : {".", "!", "?", ":", ";", ")", "。", "！", "？", "：", "）"}) {
    if (row.ends_with(end)) return true;
  }
  return false;
}

int columns_of(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return static_cast<int>(text.size());
  const term::WidthTable& widths = term::WidthTable::instance();
  int columns = 0;
  while (!text.empty()) {
    const base::Decoded next = base::decode_utf8(text);
    columns += widths.width(next.code_point);
    text.remove_prefix(next.length);
  }
  return columns;
}

// Fewer bytes of words may stand anywhere by chance.
constexpr size_t kCertain = 12;

}  // namespace

bool Transcript::ViewRow::blank() const { return is_blank(row.text); }

Transcript::Transcript(const adapters::TranscriptSpec& spec, const std::string& user_message)
    : speakers_(spec, user_message) {
  if (speakers_.plain()) speaker_ = Speaker::kAgent;
}

void Transcript::scrolled_off(ScreenRow row) {
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

// What leaves first must have stood there, and lines that were told leave before new ones: unless
// all was drawn anew since.
void Transcript::note_drawn_anew(std::string_view row) {
  const bool first = !std::exchange(scrolled_, true);
  if (!spoken_ || speakers_.plain() || view_.empty()) return;
  const auto stands = [row](const ViewRow& candidate) { return candidate.row.text == row; };
  const auto leaves_first = [](const ViewRow& candidate) { return candidate.told && candidate.line; };
  const bool drawn_anew =
      first ? std::none_of(view_.begin(), view_.end(), stands)
            : std::any_of(view_.begin(), view_.end(), leaves_first);
  if (!drawn_anew) return;
  begin_redraw(seen_at_);
  redraw_goes_on_ = true;  // seen_at_ may be long ago
}

void Transcript::screen_cleared(TimeMs now) {
  if (speakers_.plain()) return;
  end_line(speaker_);
  end_redraw();
  view_.clear();
  live_ = 0;
  begin_redraw(now);
  note_cleared(now);
}

void Transcript::note_cleared(TimeMs now) {
  cleared_ = true;
  cleared_at_ = now;
}

void Transcript::begin_redraw(TimeMs now) {
  if (!redrawing()) told_.begin_redraw();
  redraw_ends_ = now + kRedrawMs;
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

void Transcript::look(TimeMs now, std::vector<ScreenRow> rows, size_t live, bool window) {
  seen_at_ = now;
  const bool scrolled = std::exchange(scrolled_, false);
  if (std::exchange(redraw_goes_on_, false)) redraw_ends_ = std::max(redraw_ends_, now + kRedrawMs);
  if (now >= redraw_ends_) {
    const bool awaited = cleared_ && redrawn_.empty();  // nothing was drawn yet
    if (awaited) {
      redraw_ends_ = now + kRedrawMs;
    } else {
      forget_or_end_redraw();
    }
  }
  View seen(rows.size());
  std::vector<const std::string*> old_texts, texts;
  for (size_t i = 0; i < rows.size(); ++i) {
    seen[i].row = std::move(rows[i]);
    seen[i].since = now;
    speakers_.cut_margin(seen[i].row.text);
    texts.push_back(&seen[i].row.text);
  }
  for (const ViewRow& row : view_) old_texts.push_back(&row.row.text);
  const std::vector<size_t> places = places_before(old_texts, texts);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (places[i] == kNewRow) continue;
    const ViewRow& before = view_[places[i]];
    seen[i].since = before.since;
    seen[i].told = before.told;
    seen[i].line = before.line;
    seen[i].header = before.header && places[i] == i;
    seen[i].said = before.said;
    seen[i].speaker = before.speaker;
  }
  live = std::min(live, seen.size());
  size_t gone = 0;  // rows of view_ that have left at the top
  const bool in_place = window || !scrolled;  // what is new was not pushed there from below
  if (in_place && spoken_ && !speakers_.plain()) {
    switch (compare(places, live, seen)) {
      case Comparison::kSame:
        gone = move(places, live, window, seen);
        break;
      case Comparison::kOther:
        if (window) settle();
        gone = view_.size();
        gap_pending_ = gap_pending_ || (window && !redrawing());
        begin_redraw(now);
        if (!window) note_cleared(now);
        break;
      case Comparison::kNoneBefore:
        begin_redraw(now);
    }
  }
  know_again(places, seen);
  know_returned(now, places, gone, seen);
  view_ = std::move(seen);
  live_ = live;
}

// How far most of the transcript's rows that stayed have moved up in a window; down is negative.
ptrdiff_t shift_of(const std::vector<size_t>& places, size_t live_before, size_t live) {
  std::map<ptrdiff_t, int> shifts;
  for (size_t i = 0; i < live; ++i) {
    if (places[i] < live_before) {  // not kNewRow
      ++shifts[static_cast<ptrdiff_t>(places[i]) - static_cast<ptrdiff_t>(i)];
    }
  }
  const auto most = std::max_element(shifts.begin(), shifts.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  return most == shifts.end() ? 0 : most->first;
}

// Rows that moved up in a window have pushed those above them out of it; rows that moved down have
// let those come back that were seen before.
size_t Transcript::move(const std::vector<size_t>& places, size_t live, bool window, View& now) {
  const ptrdiff_t shift = shift_of(places, live_, live);
  if (shift == 0) return 0;
  size_t first = 0;  // of the rows that moved
  while (places[first] == kNewRow ||
         static_cast<ptrdiff_t>(places[first]) - static_cast<ptrdiff_t>(first) != shift) {
    ++first;
  }
  if (shift < 0) {
    bool at_top = true;  // nothing but a header stood over them
    for (size_t i = 0; i < places[first]; ++i) {
      at_top = at_top && (view_[i].blank() || view_[i].header);
    }
    for (size_t i = 0; at_top && i < first; ++i) now[i].told = now[i].told || places[i] == kNewRow;
    return 0;
  }
  if (!window) return 0;
  size_t headers = 0;  // rows at the top that stay there while all under them moves
  std::vector<bool> stays(view_.size(), false);
  for (size_t i = 0; i < first; ++i) {
    if (places[i] == kNewRow) continue;
    stays[places[i]] = now[i].header = true;
    headers = i + 1;
  }
  const size_t gone = std::min(headers + static_cast<size_t>(shift), places[first]);
  for (size_t i = 0; i < gone; ++i) {
    if (!stays[i] && !view_[i].header) tell_row(view_[i], speaker_);
  }
  return gone;
}

// Between two layouts an agent may leave out for some frames what it has shown and shows again.
void Transcript::know_returned(TimeMs at, const std::vector<size_t>& places, size_t gone,
                               View& now) {
  std::vector<bool> stays(view_.size(), false);
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] != kNewRow) {
      stays[places[i]] = true;
      continue;
    }
    const auto same = [&](const Vanished& row) { return row.text == now[i].row.text; };
    const auto row = std::find_if(vanished_.begin(), vanished_.end(), same);
    if (now[i].told || now[i].blank() || row == vanished_.end()) continue;
    now[i].told = now[i].line = true;
    now[i].speaker = row->speaker;
    vanished_.erase(row);
  }
  for (size_t i = gone; i < view_.size(); ++i) {
    const ViewRow& row = view_[i];
    if (!stays[i] && row.told && row.line) vanished_.push_back({row.row.text, row.speaker, at});
  }
  while (!vanished_.empty() && vanished_.front().at + kReturnMs < at) vanished_.pop_front();
}

// New rows in the place of rows that were told may have the same words in another layout, or go on
// with them: of these only what is new is to be told.
void Transcript::know_again(const std::vector<size_t>& places, View& now) const {
  if (speakers_.plain()) return;
  size_t begin = 0;  // in view_, after what stands over row i
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] != kNewRow) begin = places[i] + 1;
    if (places[i] != kNewRow || now[i].blank()) continue;
    const size_t next = static_cast<size_t>(
        std::find_if(places.begin() + static_cast<ptrdiff_t>(i), places.end(),
                     [](size_t place) { return place != kNewRow; }) -
        places.begin());
    const size_t end = next < places.size() ? places[next] : view_.size();
    std::string replaced;
    Speaker speaker = Speaker::kChrome;
    for (size_t k = begin; k < end; ++k) {
      if (!view_[k].told) continue;
      replaced += words_of(view_[k].row.text);
      speaker = view_[k].speaker;
    }
    for (; i < next && !replaced.empty(); ++i) {
      const std::string words = words_of(now[i].row.text);
      if (words.empty()) continue;
      const size_t at = words.size() >= kCertain ? replaced.find(words) : replaced.rfind(words, 0);
      if (at != std::string::npos) {
        replaced.erase(0, at + words.size());
        now[i].told = true;
        now[i].speaker = speaker;
      } else if (words.starts_with(replaced)) {
        now[i].said = std::exchange(replaced, {}).size();
        now[i].speaker = speaker;
      }
    }
    i = next - 1;
  }
}

// Do the lines of the transcript that stood on the screen still stand there?
Transcript::Comparison Transcript::compare(const std::vector<size_t>& places, size_t live,
                                           const View& now) const {
  const auto lines = [this](const View& view, size_t end) {
    std::vector<bool> is_line(view.size(), false);
    const std::vector<Speakers::Reading> readings = read(view, end);
    for (size_t i = 0; i < readings.size(); ++i) is_line[i] = !view[i].blank() && readings[i].line;
    return is_line;
  };
  const std::vector<bool> before = lines(view_, live_), shown = lines(now, live);
  bool any_before = false, at_top = true;
  std::vector<size_t> new_lines;
  std::vector<bool> gone = before;
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] == kNewRow) {
      if (shown[i]) new_lines.push_back(i);
    } else if (before[places[i]]) {
      // A message may stay at the top while all under it scrolls.
      if (!at_top || view_[places[i]].speaker != Speaker::kUser) return Comparison::kSame;
      gone[places[i]] = false;
    }
    at_top = at_top && now[i].blank();
  }
  for (size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) continue;
    any_before = true;
    for (const size_t line : new_lines) {
      if (now[line].row.text.starts_with(view_[i].row.text)) return Comparison::kSame;  // it grew
    }
  }
  if (new_lines.empty()) return Comparison::kSame;
  return any_before ? Comparison::kOther : Comparison::kNoneBefore;
}

// Who says each of the first `end` rows.
std::vector<Speakers::Reading> Transcript::read(const View& view, size_t end) const {
  std::vector<Speakers::Reading> readings(end, Speakers::Reading{speaker_, false});
  Speaker speaker = speaker_;
  for (size_t i = 0; i < end; ++i) {
    if (view[i].header) continue;
    if (view[i].blank()) {
      readings[i].speaker = speakers_.after_blank(speaker);
    } else if (view[i].told || view[i].said > 0) {
      readings[i] = {view[i].speaker, view[i].speaker != Speaker::kChrome};
    } else {
      readings[i] = speakers_.read(view[i].row.text, speaker);
    }
    speaker = readings[i].speaker;
  }
  return readings;
}

// The first row of a tool that may still change what it shows, and with it all below: it is under
// way, or nothing follows it.
size_t Transcript::before_unfinished() const {
  if (speakers_.plain()) return live_;
  const std::vector<Speakers::Reading> readings = read(view_, live_);
  size_t paragraph = 0;   // the first row of the one that row i is in
  size_t tool = live_;    // the first row of that of the last line, if it is a tool's
  for (size_t i = 0; i < live_; ++i) {
    if (view_[i].blank()) {
      paragraph = i + 1;
      continue;
    }
    if (!view_[i].told && speakers_.may_change(view_[i].row.text)) return paragraph;
    if (readings[i].line) tool = readings[i].speaker == Speaker::kTool ? paragraph : live_;
  }
  return tool;
}

TimeMs Transcript::rest_ms(size_t row, bool grows) const {
  if (speakers_.plain()) return kPlainRestMs;
  return grows && !ends_sentence(view_[row].row.text) ? kLastRestMs : kRestMs;
}

TimeMs Transcript::settle_rested(TimeMs now) {
  const std::vector<Speakers::Reading> readings = read(view_, live_);
  const auto is_line = [&](size_t i) { return !view_[i].blank() && readings[i].line; };
  size_t last = live_;
  while (last > 0 && !is_line(last - 1)) --last;
  const bool cleared = cleared_ ? now >= cleared_at_ + kRedrawMs : live_ >= kMinTranscript;
  if (last == 0 && redrawn_.empty() && cleared) {
    end_redraw();
    told_ = {};
  }
  last = std::min(last, before_unfinished());
  while (last > 0 && !is_line(last - 1)) --last;
  size_t rested = 0;
  TimeMs next = redraw_ends_;
  for (size_t i = 0; i < last; ++i) {
    if (is_line(i) && !view_[i].told) {
      const TimeMs due = view_[i].since + rest_ms(i, i + 1 == last && readings[i].speaker == Speaker::kAgent);
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

void Transcript::settle_followed() {
  const std::vector<Speakers::Reading> readings = read(view_, live_);
  size_t last = before_unfinished();
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
    if (!rest.empty()) say({rest, speaker}, words_of(rest));
  } else {
    row.line = !row.blank() && speakers_.read(row.row.text, speaker).line;
    add(row.row, speaker);
    row.speaker = speaker;
  }
  row.told = !row.blank();
}

void Transcript::add(const ScreenRow& row, Speaker& speaker) {
  partial_ += row.text;
  if (row.wrapped && partial_.size() < kMaxLine) return;
  tell(std::exchange(partial_, {}), speaker);
}

void Transcript::end_line(Speaker& speaker) {
  if (!partial_.empty()) tell(std::exchange(partial_, {}), speaker);
}

void Transcript::tell(std::string_view row, Speaker& speaker) {
  if (is_blank(row)) {
    blank_pending_ = true;
    speaker = speakers_.after_blank(speaker);
    return;
  }
  const Speakers::Reading reading = speakers_.read(row, speaker);
  speaker = reading.speaker;
  if (!reading.line) return;
  const std::string words = words_of(row);
  if (!redrawing()) return say(line_of(row, speaker, blank_pending_), words);
  if (words.empty()) return;
  const size_t shown = told_.shown_again(words);
  if (shown > 0) {
    speaker = told_.speaker();
    redraw_goes_on_ = true;
  }
  redrawn_.push_back({std::string(row), speaker, std::exchange(blank_pending_, false), shown});
  if (redrawn_.size() > kMaxRedrawn) redrawn_.pop_front();
}

// What was erased and is not drawn again may be said again.
void Transcript::forget_or_end_redraw() {
  const auto known = [](const RedrawnRow& row) { return row.shown > 0; };
  const bool forget = cleared_ && std::none_of(redrawn_.begin(), redrawn_.end(), known);
  end_redraw();
  if (forget) told_ = {};
}

// What follows the last row of a redraw that was told before is new. If most rows before that were
// not, they are no redraw: an agent may say again what it said before.
void Transcript::end_redraw() {
  redraw_ends_ = base::kNever;
  cleared_ = false;
  told_.end_redraw();
  std::deque<RedrawnRow> rows = std::exchange(redrawn_, {});
  std::vector<std::string> words;
  size_t known = 0, last = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    words.push_back(words_of(rows[i].text));
    if (rows[i].shown == 0) continue;
    ++known;
    last = i + 1;
  }
  if (2 * known < last) last = 0;
  // An agent that loses count of its rows draws some of them twice.
  for (size_t i = last; last > 0 && i < rows.size(); ++i) {
    const size_t run = told_.run_told(words, i);
    if (run < kMinRun) continue;
    last = i + run;
    rows[last - 1].shown = words[last - 1].size();
    i = last - 1;
  }
  if (last > 0) {
    gap_pending_ = false;
    const RedrawnRow& row = rows[last - 1];
    const std::string rest = after_words(row.text, row.shown);
    if (!words_of(rest).empty()) say({rest, row.speaker}, words_of(rest));
  }
  for (size_t i = last; i < rows.size(); ++i) {
    blank_pending_ = rows[i].after_blank;
    say(line_of(rows[i].text, rows[i].speaker, rows[i].after_blank), words[i]);
  }
}

Line Transcript::line_of(std::string_view row, Speaker speaker, bool after_blank) {
  constexpr int kMargin = 5;  // columns that agents leave free at the right
  Line line = speakers_.line(row, speaker);
  const std::string_view word = std::string_view(line.text).substr(0, line.text.find(' '));
  line.continues = !after_blank && columns_of(word) + 1 > room_ - kMargin;
  room_ = columns_ - columns_of(row);
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
  if (after_blank && spoken_) lines_.push_back({"", line.speaker});
  spoken_ = true;
  vanished_.clear();  // the agent has gone on
  if (!speakers_.plain()) told_.add(words, line.speaker);
  lines_.push_back(std::move(line));
}

std::vector<Line> Transcript::take() { return std::exchange(lines_, {}); }

}  // namespace orch::driver
