// Follows the rows of the screen from one look to the next.
#include <algorithm>
#include <utility>

#include "driver/row_places.h"
#include "driver/transcript.h"

namespace orch::driver {
namespace {

// A line that disappears from the screen comes back within this time or not at all.
constexpr TimeMs kReturnMs = 1'000;

}  // namespace

// One for all transcripts of the thread, since only one looks at a time. Rows keep their memory for
// the next rows: a look at a screen with only a few changed rows allocates nothing.
struct Transcript::LookBuffers {
  static LookBuffers& of_thread() {
    thread_local LookBuffers buffers;
    return buffers;
  }

  View seen;
  std::vector<uint64_t> before, now;  // the hashes of the rows
  std::vector<size_t> places;
  std::vector<char> shown, was_shown, gone;  // whether the row is a line
  std::vector<size_t> new_lines;
  std::vector<char> stays;
  std::vector<int> shifts;
  std::string replaced, words;
};

void Transcript::look(TimeMs now, const ShownRows& rows, size_t live, bool window) {
  live = std::min(live, rows.count());
  seen_at_ = now;
  const bool scrolled = std::exchange(scrolled_, false);
  see_redraw(now);
  if (stands(rows, live)) return look_unchanged(now);
  LookBuffers& buffers = LookBuffers::of_thread();
  View& seen = buffers.seen;
  const std::vector<size_t>& places = buffers.places;
  read_rows(rows, now, buffers);
  find_places(buffers.before, buffers.now, buffers.places);
  follow_rows(places, seen);
  size_t gone = 0;                            // rows of view_ that have scrolled off the top
  const bool in_place = window || !scrolled;  // new rows were not pushed there by scrolling
  if (in_place && !speakers_.plain()) {
    switch (compare(places, live, seen)) {
      case Comparison::kOther:
        if (window) jump(places, seen);
        gone = view_.size();
        emptied_ = false;
        if (spoken_) begin_redraw(now);
        if (!window) note_cleared(now);
        break;
      case Comparison::kNoneBefore:
        if (window && emptied_) jump(places, seen);
        if (spoken_) begin_redraw(now);
        emptied_ = false;
        break;
      case Comparison::kNoneNow:
        emptied_ = window;
        [[fallthrough]];
      case Comparison::kSame:
        gone = move(places, live, window, seen);
        break;
    }
  }
  know_again(places, seen);
  know_returned(now, places, gone, seen);
  std::swap(view_, seen);
  live_ = live;
}

// Whether the screen is as it was at the last look: many frames draw it again as it was.
bool Transcript::stands(const ShownRows& rows, size_t live) const {
  return live == live_ && rows.count() == view_.size() && first_rows_stand(rows, view_.size());
}

bool Transcript::first_rows_stand(const ShownRows& rows, size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t key = rows.key(i);
    if (key == 0 || key != view_[i].key) return false;
  }
  return true;
}

bool Transcript::at_rest(const ShownRows& rows, size_t live) const {
  const bool redraws = (redrawing() || cleared_) && !redraw_awaited_;
  const bool waits = scrolled_ || redraws || held_ || !vanished_.empty();
  return !waits && live == live_ && rows.count() == view_.size() && first_rows_stand(rows, live);
}

// A look at rows that have not changed. A blank row always counts as new.
void Transcript::look_unchanged(TimeMs now) {
  for (ViewRow& row : view_) {
    if (row.blank()) row.begin(now);
  }
  forget_vanished(now);
}

void Transcript::read_rows(const ShownRows& rows, TimeMs now, LookBuffers& buffers) const {
  buffers.seen.resize(rows.count());
  buffers.now.resize(rows.count());
  buffers.before.resize(view_.size());
  for (size_t i = 0; i < view_.size(); ++i) buffers.before[i] = view_[i].hash;
  for (size_t i = 0; i < rows.count(); ++i) {
    ViewRow& row = buffers.seen[i];
    row.begin(now);
    row.key = rows.key(i);
    if (row.key != 0 && i < view_.size() && row.key == view_[i].key) {
      row.row = view_[i].row;
      row.hash = view_[i].hash;
      row.marks = view_[i].marks;
    } else {
      rows.read(i, row.row);
      row.row.called = false;
      speakers_.cut_margin(row.row.text);
      row.hash = row_hash(row.row.text);
      row.marks.reset();
    }
    buffers.now[i] = row.hash;
  }
  if (speakers_.knows_calls()) find_calls(buffers.seen);
}

// Finds the rows with a tool's output hanging below: each is the first one of its paragraph. Since
// a notice can hang below the agent's words, too, a row above one is a call only if it has a
// marker.
void Transcript::find_calls(View& now) const {
  for (size_t i = 0; i < now.size(); ++i) {
    const bool begins = !now[i].blank() && (i == 0 || now[i - 1].blank());
    const bool followed = begins && i + 1 < now.size() && !now[i + 1].blank();
    const bool called =
        followed && speakers_.hangs(now[i + 1].row) &&
        (speakers_.begins_block(now[i].row.text) || !speakers_.is_notice(now[i + 1].row));
    if (called != std::exchange(now[i].row.called, called)) now[i].marks.reset();
  }
}

// Copies the state of the rows that were there before to their new places.
void Transcript::follow_rows(const std::vector<size_t>& places, View& now) const {
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] == kNewRow) continue;
    const ViewRow& before = view_[places[i]];
    now[i].since = before.since;
    now[i].told = before.told;
    now[i].line = before.line;
    now[i].header = before.header && places[i] == i;
    now[i].said = before.said;
    now[i].speaker = before.speaker;
    const ScreenRow &row = now[i].row, &as_before = before.row;
    const bool looks_alike = row.ink == as_before.ink && row.called == as_before.called;
    if (!now[i].marks && looks_alike) now[i].marks = before.marks;
  }
}

// All lines in the window have been replaced at once, so lines between the old and the new ones may
// be missing.
void Transcript::jump(const std::vector<size_t>& places, View& now) {
  settle();
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i].blank()) continue;
    now[i].header = places[i] != kNewRow;  // a message that stays at the top
    break;
  }
  gap_pending_ = gap_pending_ || spoken_;
  const auto line = std::find_if(view_.rbegin(), view_.rend(),
                                 [](const ViewRow& row) { return row.told && row.line; });
  speaker_ =
      line != view_.rend() && line->speaker == Speaker::kTool ? Speaker::kTool : Speaker::kAgent;
}

// By how many rows most of the transcript's rows have moved up (negative: down). Headers do not
// count, because they stay in place.
ptrdiff_t Transcript::shift_of(const std::vector<size_t>& places, size_t live) const {
  std::vector<int>& shifts = LookBuffers::of_thread().shifts;  // how many rows, by live + shift
  shifts.assign(live + live_, 0);
  for (size_t i = 0; i < live; ++i) {
    if (places[i] >= live_ || view_[places[i]].header) continue;  // new rows too
    ++shifts[live + places[i] - i];
  }
  const auto most = std::max_element(shifts.begin(), shifts.end());
  if (most == shifts.end() || *most == 0) return 0;
  return (most - shifts.begin()) - static_cast<ptrdiff_t>(live);
}

// Handles rows that have moved. If rows moved up in a window, the rows above them were pushed out
// of it, and are reported. If rows moved down, rows that were seen before came back. Returns how
// many rows of view_ were pushed out.
size_t Transcript::move(const std::vector<size_t>& places, size_t live, bool window, View& now) {
  const ptrdiff_t shift = shift_of(places, live);
  if (shift == 0) return 0;
  size_t first = 0;  // the first row that moved
  while (places[first] == kNewRow ||
         static_cast<ptrdiff_t>(places[first]) - static_cast<ptrdiff_t>(first) != shift) {
    ++first;
  }
  if (shift < 0) come_back(places, first, now);
  if (shift < 0 || !window) return 0;
  size_t headers = 0;  // rows at the top that stay in place while all rows under them move
  std::vector<char>& stays = LookBuffers::of_thread().stays;
  stays.assign(view_.size(), 0);
  for (size_t i = 0; i < first; ++i) {
    if (places[i] == kNewRow) continue;
    stays[places[i]] = 1;
    now[i].header = true;
    headers = i + 1;
  }
  const size_t gone = std::min(headers + static_cast<size_t>(shift), places[first]);
  size_t told = live_;  // the row after the last reported line
  while (told > 0 && !(view_[told - 1].told && view_[told - 1].line)) --told;
  for (size_t i = 0; i < gone; ++i) {
    if (stays[i] != 0 || view_[i].header) continue;
    // Lines are reported in order, so a row above a reported line was reported too if its words
    // were.
    const bool again = i < told && told_.run_told({words_of(view_[i].row.text)}, 0) > 0;
    view_[i].told = view_[i].told || again;
    tell_row(view_[i], speaker_);
  }
  return gone;
}

// Rows have moved down, from row `first` on; the new rows above them were reported before.
void Transcript::come_back(const std::vector<size_t>& places, size_t first, View& now) const {
  for (size_t i = 0; i < places[first]; ++i) {
    if (!view_[i].blank() && !view_[i].header) return;  // another row was above them
  }
  for (size_t i = 0; i < first; ++i) {
    if (places[i] != kNewRow) continue;
    now[i].told = true;
    now[i].speaker = speaker_;
  }
}

// Recognises lines that come back. Between two layouts an agent may leave lines out for some frames
// and then show them again.
void Transcript::know_returned(TimeMs at, const std::vector<size_t>& places, size_t gone,
                               View& now) {
  std::vector<char>& stays = LookBuffers::of_thread().stays;
  stays.assign(view_.size(), 0);
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] != kNewRow) {
      stays[places[i]] = 1;
      continue;
    }
    const auto same = [&](const Vanished& row) { return row.text == now[i].row.text; };
    const auto row = std::find_if(vanished_.begin(), vanished_.end(), same);
    if (now[i].told || now[i].blank() || row == vanished_.end()) continue;
    now[i].told = now[i].line = true;
    now[i].speaker = row->speaker;
    gap_pending_ = false;  // the lines after this one can be seen
    vanished_.erase(row);
  }
  for (size_t i = gone; i < view_.size(); ++i) {
    const ViewRow& row = view_[i];
    if (stays[i] == 0 && row.told && row.line) vanished_.push_back({row.row.text, row.speaker, at});
  }
  forget_vanished(at);
}

void Transcript::forget_vanished(TimeMs now) {
  while (!vanished_.empty() && vanished_.front().at + kReturnMs < now) vanished_.pop_front();
}

// Recognises words in new rows that have taken the place of reported rows. The new rows may hold
// the same words in another layout, or more words after them: then only the new words are reported.
void Transcript::know_again(const std::vector<size_t>& places, View& now) const {
  if (speakers_.plain()) return;
  std::string &replaced = LookBuffers::of_thread().replaced,
              &words = LookBuffers::of_thread().words;
  size_t begin = 0;  // the index in view_ after the row above row i
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] != kNewRow) begin = places[i] + 1;
    if (places[i] != kNewRow || now[i].blank()) continue;
    const size_t next =
        static_cast<size_t>(std::find_if(places.begin() + static_cast<ptrdiff_t>(i), places.end(),
                                         [](size_t place) { return place != kNewRow; }) -
                            places.begin());
    const size_t end = next < places.size() ? places[next] : view_.size();
    replaced.clear();
    Speaker speaker = Speaker::kChrome;
    for (size_t k = begin; k < end; ++k) {
      if (!view_[k].told) continue;
      append_words(view_[k].row.text, replaced);
      speaker = view_[k].speaker;
    }
    for (; i < next && !replaced.empty(); ++i) {
      words.clear();
      append_words(now[i].row.text, words);
      if (words.empty()) continue;
      const size_t at =
          words.size() >= kCertainWords ? replaced.find(words) : replaced.rfind(words, 0);
      if (at != std::string::npos) {
        replaced.erase(0, at + words.size());
        now[i].told = true;
        now[i].speaker = speaker;
      } else if (words.starts_with(replaced)) {
        now[i].said = replaced.size();
        replaced.clear();
        now[i].speaker = speaker;
      }
    }
    i = next - 1;
  }
}

// The speaker of rows at the top of the screen that have no marker: the last speaker, even in rows
// that were not reported yet.
Speaker Transcript::speaker_above() const {
  if (speaker_ != Speaker::kChrome) return speaker_;
  if (last_speaker_ != Speaker::kChrome) return last_speaker_;
  Speaker last = Speaker::kChrome;
  for (const Speakers::Reading& reading : read(view_, live_, speaker_)) {
    if (reading.line) last = reading.speaker;
  }
  return last;
}

// Which of the rows are lines of the transcript: none after the first `end` rows.
void Transcript::find_lines(const View& view, size_t end, Speaker above,
                            std::vector<char>& is_line) const {
  is_line.assign(view.size(), 0);
  const Readings& readings = read(view, end, above);
  for (size_t i = 0; i < readings.size(); ++i) {
    is_line[i] = !view[i].blank() && readings[i].line ? 1 : 0;
  }
}

// Compares the lines of the transcript on the screen with those at the last look.
Transcript::Comparison Transcript::compare(const std::vector<size_t>& places, size_t live,
                                           const View& now) const {
  LookBuffers& buffers = LookBuffers::of_thread();
  // The marker of the rows at the top may have scrolled by unseen, so speaker_above() fills in.
  const std::vector<char>& shown = buffers.shown;
  find_lines(now, live, speaker_above(), buffers.shown);
  std::vector<char>& before = buffers.was_shown;
  find_lines(view_, live_, speaker_, before);
  for (size_t i = live_; i < view_.size(); ++i) before[i] = view_[i].told && view_[i].line;
  bool any_before = false, any_stays = false, at_top = true;
  std::vector<size_t>& new_lines = buffers.new_lines;
  new_lines.clear();
  std::vector<char>& gone = buffers.gone;
  gone = before;
  for (size_t i = 0; i < now.size(); ++i) {
    if (places[i] == kNewRow) {
      if (shown[i] != 0) new_lines.push_back(i);
    } else if (before[places[i]] != 0) {
      // A message of the user may stay at the top while all rows under it scroll.
      const bool message =
          speakers_.read(marks_of(now[i]), Speaker::kChrome).speaker == Speaker::kUser;
      if (!at_top || !message) return Comparison::kSame;
      gone[places[i]] = 0;
      any_stays = true;
      any_before = any_before || places[i] != i;
    }
    at_top = at_top && now[i].blank();
  }
  for (size_t i = 0; i < gone.size(); ++i) {
    if (gone[i] == 0) continue;
    any_before = true;
    for (const size_t line : new_lines) {
      // The row has grown.
      if (now[line].row.text.starts_with(view_[i].row.text)) return Comparison::kSame;
    }
  }
  if (new_lines.empty()) {
    return any_before && !any_stays ? Comparison::kNoneNow : Comparison::kSame;
  }
  return any_before ? Comparison::kOther : Comparison::kNoneBefore;
}

}  // namespace orch::driver
