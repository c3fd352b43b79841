// Finds out which of the rows that an agent redraws were reported before.
#include <algorithm>
#include <utility>

#include "driver/transcript.h"

namespace orch::driver {
namespace {

// A redraw is over when it has shown no known words for this long.
constexpr TimeMs kRedrawMs = 1'000;
// If fewer rows than this are above the input box, the box fills the screen, and the transcript may
// be out of sight.
constexpr size_t kMinTranscript = 3;
constexpr ptrdiff_t kMinRun = 3;       // so many consecutive rows do not repeat by chance
constexpr size_t kMaxRedrawn = 4'000;  // the most rows that are kept of a redraw

}  // namespace

// Notices that the agent has redrawn its screen. Otherwise the first row to scroll off would be one
// of the rows seen at the last look, and reported lines would scroll off before new ones.
void Transcript::note_drawn_anew(std::string_view row) {
  const bool first = !std::exchange(scrolled_, true);
  if (!spoken_ || speakers_.plain() || view_.empty()) return;
  const auto stands = [row](const ViewRow& candidate) { return candidate.row.text == row; };
  const auto leaves_first = [](const ViewRow& candidate) {
    return candidate.told && candidate.line;
  };
  const bool drawn_anew = first ? std::none_of(view_.begin(), view_.end(), stands)
                                : std::any_of(view_.begin(), view_.end(), leaves_first);
  if (!drawn_anew) return;
  begin_redraw(seen_at_);
  redraw_goes_on_ = true;  // because seen_at_ may be long ago
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
  redraw_awaited_ = false;
}

// Called at each look at the screen: ends the redraw if it is over.
void Transcript::see_redraw(TimeMs now) {
  const bool goes_on = std::exchange(redraw_goes_on_, false);
  const bool awaited = std::exchange(redraw_awaited_, false);
  if ((goes_on || awaited) && redrawing()) {
    redraw_ends_ = std::max(redraw_ends_, now + kRedrawMs);
  }
  if (now < redraw_ends_) return;
  if (cleared_ && redrawn_.empty()) {
    redraw_awaited_ = true;
  } else {
    forget_or_end_redraw();
  }
}

void Transcript::add_redrawn(std::string_view row, std::string_view words, Speaker& speaker) {
  const size_t shown = told_.shown_again(words);
  redrawn_.push_back(
      {std::string(row), speaker, std::exchange(blank_pending_, false), shown, told_.speaker()});
  if (shown > 0) {
    speaker = told_.speaker();
    redraw_goes_on_ = true;
  }
  if (redrawn_.size() <= kMaxRedrawn) return;
  if (told_.found_any() || !told_.has_forgotten()) return end_redraw();
  redrawn_.pop_front();  // the redraw begins with words that were forgotten
}

void Transcript::message_entered() {
  const bool to_come = cleared_ && redrawn_.empty() && !stands_cleared_;
  if (redrawing() && !to_come) forget_or_end_redraw();
}

// Called when no line is above the input box. If the screen was cleared, or the box leaves room for
// lines, the reported lines will not be drawn again, so their words are forgotten.
void Transcript::forget_cleared(TimeMs now) {
  const bool cleared = cleared_ ? now >= cleared_at_ + kRedrawMs : live_ >= kMinTranscript;
  stands_cleared_ = cleared_ && redrawn_.empty();
  if (!cleared || !redrawn_.empty()) return;
  end_redraw();
  told_ = {};
}

std::vector<std::string> Transcript::words_of_rows(const std::deque<RedrawnRow>& rows) {
  std::vector<std::string> words;
  words.reserve(rows.size());
  for (const RedrawnRow& row : rows) words.push_back(words_of(row.text));
  return words;
}

// Whether the rows begin with enough consecutive rows that were reported. Rows with few words each
// are certain together.
bool Transcript::begins_with_run(const std::vector<std::string>& words) const {
  return !words.empty() && told_.run_told(words, 0) >= static_cast<size_t>(kMinRun);
}

// Ends the redraw. If the screen was cleared and the redraw showed none of the words reported
// before, they are forgotten: should they come again, the agent says them again.
void Transcript::forget_or_end_redraw() {
  const auto is_known = [](const RedrawnRow& row) { return row.shown > 0; };
  const auto known = std::count_if(redrawn_.begin(), redrawn_.end(), is_known);
  // One or two rows may be known by chance, such as the echo of the command that cleared the
  // screen.
  const bool by_chance = known == 0 || (known < kMinRun && told_.redrawing());
  const bool forget = cleared_ && by_chance && !begins_with_run(words_of_rows(redrawn_));
  if (forget) told_ = {};
  end_redraw();
}

// Marks the rows that show words reported before: those at the beginning of the redraw up to the
// last one with known words, however the rows between them look now. If most of them are unknown,
// this is not a redraw: an agent may say the same words twice.
void Transcript::mark_known(std::deque<RedrawnRow>& rows,
                            const std::vector<std::string>& words) const {
  size_t known = 0, last = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].shown == 0) continue;
    ++known;
    last = i + 1;
  }
  if (2 * known < last) last = 0;
  if (last == 0) {
    if (!begins_with_run(words)) return;
    last = told_.run_told(words, 0);
    rows[last - 1].shown = words[last - 1].size();
  }
  for (size_t i = 0; i < last; ++i) rows[i].known = true;
  mark_drawn_twice(rows, words, last);
}

// Marks the rows from `first` on that show words reported before: an agent that loses count of its
// rows draws some of them twice. One that redraws once more draws the new rows again as well,
// behind the reported ones: then the first drawing of the new rows is marked.
void Transcript::mark_drawn_twice(std::deque<RedrawnRow>& rows,
                                  const std::vector<std::string>& words, size_t first) const {
  std::string fresh = words[first - 1].substr(rows[first - 1].shown);  // the new words so far
  for (size_t i = first; i < rows.size(); ++i) {
    size_t again = told_.tail_told(words, i, fresh);
    if (again + fresh.size() <= words[i].size() + (i + 1 < rows.size() ? words[i + 1].size() : 0)) {
      again = 0;  // fewer rows than kMinRun
    }
    const size_t run = again > 0 ? 0 : told_.run_told(words, i);
    if (again > 0) {
      for (size_t row = 0; row < i; ++row) rows[row].known = true;
      for (; again > 0; again -= rows[i++].shown) {
        rows[i].known = true;
        rows[i].shown = std::min(again, words[i].size());
      }
      --i;
      fresh = words[i].substr(rows[i].shown);
    } else if (run >= static_cast<size_t>(kMinRun)) {
      for (size_t row = i; row < i + run; ++row) rows[row].known = true;
      i += run - 1;
      rows[i].shown = words[i].size();
    } else {
      fresh += words[i];
    }
  }
}

// Ends the redraw. Its new rows are reported now.
void Transcript::end_redraw() {
  redraw_ends_ = base::kNever;
  redraw_awaited_ = false;
  cleared_ = stands_cleared_ = false;
  told_.end_redraw();
  std::deque<RedrawnRow> rows = std::exchange(redrawn_, {});
  const std::vector<std::string> words = words_of_rows(rows);
  mark_known(rows, words);
  if (!rows.empty() && rows.front().known) gap_pending_ = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    const RedrawnRow& row = rows[i];
    if (!row.known) {
      blank_pending_ = row.after_blank;
      say(line_of(row.text, row.speaker, row.after_blank), words[i]);
    } else if (i + 1 == rows.size() || !rows[i + 1].known) {  // it may have grown
      const std::string rest = after_words(row.text, row.shown);
      const std::string more = words_of(rest);
      if (!more.empty()) say({.text = rest, .speaker = row.told}, more);
    }
  }
}

}  // namespace orch::driver
