#include "driver/transcript.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace orch::driver {
namespace {

std::optional<base::Pattern> pattern_of(const std::string& expression) {
  if (expression.empty()) return std::nullopt;
  base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
  ORCH_CHECK(pattern.ok());
  return std::move(pattern).value();
}

bool matches(const std::optional<base::Pattern>& pattern, std::string_view row) {
  return pattern && pattern->matches(row);
}

bool is_blank(std::string_view row) { return row.find_first_not_of(' ') == std::string_view::npos; }

// A redraw may begin or go on anywhere in what was told; so few bytes do not say where.
constexpr size_t kCertain = 12;

std::string without_blanks(std::string_view text) {
  std::string words;
  std::copy_if(text.begin(), text.end(), std::back_inserter(words),
               [](char c) { return c != ' '; });
  return words;
}

// What follows the first `bytes` bytes of `text` that are no blanks.
std::string after_words(std::string_view text, size_t bytes) {
  size_t at = 0;
  for (; bytes > 0; ++at) bytes -= text[at] != ' ' ? 1 : 0;
  at = text.find_first_not_of(' ', at);
  return std::string(at == std::string_view::npos ? std::string_view() : text.substr(at));
}

constexpr size_t kNew = SIZE_MAX;

// Where each row of `now` was in `before`, or kNew: the longest common subsequence is what stayed.
std::vector<size_t> places_before(const std::deque<std::string>& before,
                                  const std::vector<ScreenRow>& now) {
  const size_t n = before.size(), m = now.size();
  std::vector<std::vector<uint16_t>> common(n + 1, std::vector<uint16_t>(m + 1, 0));
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      common[i][j] = before[i] == now[j].text ? static_cast<uint16_t>(common[i + 1][j + 1] + 1)
                                              : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<size_t> places(m, kNew);
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (before[i] == now[j].text) {
      places[j++] = i++;
    } else if (common[i + 1][j] >= common[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return places;
}

// The words of the rows that were where the new rows from `row` on are.
std::string words_replaced(const std::deque<std::string>& before, const std::vector<size_t>& places,
                           size_t row) {
  size_t begin = row == 0 ? 0 : places[row - 1] + 1;
  while (row < places.size() && places[row] == kNew) ++row;
  const size_t end = row == places.size() ? before.size() : places[row];
  std::string words;
  for (; begin < end; ++begin) words += without_blanks(before[begin]);
  return words;
}

}  // namespace

Transcript::Transcript(const adapters::TranscriptSpec& spec, const std::string& user_message)
    : user_(pattern_of(user_message)),
      user_end_(pattern_of(spec.user_end)),
      agent_(pattern_of(spec.agent)),
      tool_(pattern_of(spec.tool)),
      notice_(pattern_of(spec.notice)),
      indent_(static_cast<size_t>(spec.indent)) {
  for (const std::string& expression : spec.drop) {
    if (auto pattern = pattern_of(expression)) drop_.push_back(std::move(*pattern));
  }
  if (!agent_) {  // a program whose every line is its words
    speaker_ = Speaker::kAgent;
    indent_ = 0;
  }
}

void Transcript::scrolled_off(const ScreenRow& row) {
  const auto seen = std::find(visible_.begin(), visible_.end(), row.text);
  if (seen != visible_.end()) {
    visible_.erase(visible_.begin(), seen + 1);
    end_line();
  } else {
    add(row);
  }
}

void Transcript::add(const ScreenRow& row) {
  partial_ += row.text;
  if (row.wrapped && partial_.size() < kMaxLine) return;
  tell(partial_);
  partial_.clear();
}

void Transcript::end_line() {
  if (!partial_.empty()) tell(partial_);
  partial_.clear();
}

void Transcript::screen_cleared() {
  if (!agent_) return;
  visible_.clear();
  redraw_at_ = 0;
  redraw_end_ = told_.size();
}

// Does a redraw show this line again? If it shows more of it than was told, only that is left in
// `text`.
bool Transcript::told_again(std::string& text) {
  if (redraw_at_ == redraw_end_) return false;
  const std::string words = without_blanks(text);
  const std::string_view rest =
      std::string_view(told_).substr(redraw_at_, redraw_end_ - redraw_at_);
  if (words.starts_with(rest)) {
    redraw_at_ = redraw_end_;
    text = after_words(text, rest.size());
    return text.empty();
  }
  if (words.size() < kCertain) {
    if (rest.starts_with(words)) redraw_at_ += words.size();
    return rest.find(words) != std::string_view::npos;
  }
  const std::string_view shown = std::string_view(told_).substr(0, redraw_end_);
  size_t found = shown.find(words, redraw_at_);
  if (found == std::string_view::npos) found = shown.find(words);  // it begins further up
  if (found == std::string_view::npos) return false;
  redraw_at_ = found + words.size();
  return true;
}

void Transcript::settle(const std::vector<ScreenRow>& rows, size_t settled) {
  const std::deque<std::string> before = std::exchange(visible_, {});
  const std::vector<size_t> places = places_before(before, rows);
  std::string replaced;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (places[i] == kNew) {
      if (i >= settled) continue;
      if (i == 0 || places[i - 1] != kNew) replaced = words_replaced(before, places, i);
      const std::string words = without_blanks(rows[i].text);
      if (!words.empty() && replaced.starts_with(words)) {  // the same words in another layout
        replaced.erase(0, words.size());
        end_line();
      } else {
        add(rows[i]);
      }
    } else {
      end_line();
    }
    visible_.push_back(rows[i].text);
  }
}

void Transcript::tell(std::string_view row) {
  const auto dropped = [row](const base::Pattern& p) { return p.matches(row); };
  if (is_blank(row)) {
    blank_pending_ = speaker_ == Speaker::kAgent || speaker_ == Speaker::kTool;
    return;
  }
  if (speaker_ == Speaker::kUser && matches(user_end_, row)) speaker_ = Speaker::kAgent;
  if (std::any_of(drop_.begin(), drop_.end(), dropped)) return;
  Line line = classify(row);
  if (line.speaker == Speaker::kChrome || line.speaker == Speaker::kUser) return;
  const bool after_blank = std::exchange(blank_pending_, false);
  if (told_again(line.text)) return;
  if (after_blank && spoken_) lines_.push_back({"", line.speaker});
  spoken_ = true;
  forget_oldest();
  told_ += without_blanks(line.text);
  lines_.push_back(std::move(line));
}

void Transcript::forget_oldest() {
  if (told_.size() <= kMaxTold) return;
  constexpr size_t kForgotten = kMaxTold / 2;
  told_.erase(0, kForgotten);
  redraw_at_ -= std::min(redraw_at_, kForgotten);
  redraw_end_ -= std::min(redraw_end_, kForgotten);
}

// A marker at the row's start begins a block; rows without one go on with the block they are in.
Line Transcript::classify(std::string_view row) {
  bool marker = true;
  if (matches(user_, row)) {
    speaker_ = Speaker::kUser;
  } else if (matches(tool_, row)) {
    speaker_ = Speaker::kTool;
  } else if (matches(agent_, row)) {
    speaker_ = Speaker::kAgent;
  } else if (matches(notice_, row)) {
    speaker_ = Speaker::kChrome;
  } else {
    marker = false;
  }
  std::string_view text = row;
  for (size_t column = 0; column < indent_ && !text.empty(); ++column) {
    if (!marker && text.front() != ' ') break;
    if (speaker_ != Speaker::kAgent && text.front() != ' ') break;
    text.remove_prefix(base::decode_utf8(text).length);
  }
  return {std::string(text), speaker_};
}

std::vector<Line> Transcript::take() { return std::exchange(lines_, {}); }

}  // namespace orch::driver
