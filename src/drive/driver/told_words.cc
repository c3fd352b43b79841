#include "driver/told_words.h"

#include <algorithm>

#include "base/text.h"

namespace orch::driver {
namespace {

constexpr size_t kMaxTold = size_t{256} << 10;  // bytes: some thousand rows
// How many bytes ahead a redraw may find a short text again; the words in between are not drawn any
// more.
constexpr size_t kNear = 200;

bool is_layout(char32_t c) {
  switch (c) {
    case ' ':
    case 0xA0:
    case '*':
    case '_':
    case '`':
    case '#':
    case '>':
    case '|':
    case '-':
    case U'–':
    case U'—':
    case U'•':
    case U'●':
    case U'⏺':
    case U'✦':
    case U'▎':
      return true;
    default:
      return c >= 0x2500 && c <= 0x257F;  // lines and corners of boxes
  }
}

base::Decoded next_of(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  return first < 0x80 ? base::Decoded{first, 1} : base::decode_utf8(text);
}

}  // namespace

std::string words_of(std::string_view row) {
  std::string words;
  words.reserve(row.size());
  append_words(row, words);
  return words;
}

void append_words(std::string_view row, std::string& words) {
  while (!row.empty()) {
    const base::Decoded next = next_of(row);
    if (!is_layout(next.code_point)) words += row.substr(0, next.length);
    row.remove_prefix(next.length);
  }
}

std::string after_words(std::string_view row, size_t bytes) {
  while (bytes > 0 && !row.empty()) {
    const base::Decoded next = base::decode_utf8(row);
    if (!is_layout(next.code_point)) bytes -= std::min(bytes, next.length);
    row.remove_prefix(next.length);
  }
  return std::string(row.substr(std::min(row.find_first_not_of(' '), row.size())));
}

void ToldWords::add(std::string_view words, agent::Speaker speaker) {
  forget_oldest();
  const bool redrawn = at_ == end_;
  words_ += words;
  if (redrawn) at_ = end_ = words_.size();
  if (!runs_.empty() && runs_.back().speaker == speaker) {
    runs_.back().end = words_.size();
  } else {
    runs_.push_back({words_.size(), speaker});
  }
}

void ToldWords::begin_redraw() {
  at_ = 0;
  end_ = words_.size();
  found_any_ = false;
}

size_t ToldWords::shown_again(std::string_view words) {
  if (!redrawing()) return 0;
  const std::string_view rest = std::string_view(words_).substr(at_, end_ - at_);
  if (rest.starts_with(words)) {
    found(at_, words.size());
    return words.size();
  }
  if (found_any_ && words.starts_with(rest)) {
    found(at_, rest.size());
    return rest.size();
  }
  const bool certain = words.size() >= kCertainWords;
  const size_t near = certain ? std::string_view::npos : kNear;
  if (certain || found_any_) {
    const size_t ahead = rest.substr(0, near).find(words);
    if (ahead == std::string_view::npos) return 0;
    found(at_ + ahead, words.size());
    return words.size();
  }
  return 0;
}

size_t ToldWords::place_of(const std::vector<std::string>& rows, size_t first) const {
  std::string begin;
  for (size_t i = first; i < rows.size() && begin.size() < kCertainWords; ++i) begin += rows[i];
  return begin.size() < kCertainWords ? std::string::npos : words_.rfind(begin);
}

size_t ToldWords::run_told(const std::vector<std::string>& rows, size_t first) const {
  size_t at = place_of(rows, first);
  if (at == std::string::npos) return 0;
  size_t count = 0;
  for (size_t i = first; i < rows.size(); ++i, ++count) {
    if (words_.compare(at, rows[i].size(), rows[i]) != 0) break;
    at += rows[i].size();
  }
  return count;
}

size_t ToldWords::tail_told(const std::vector<std::string>& rows, size_t first,
                            std::string_view fresh) const {
  const size_t at = place_of(rows, first);
  if (at == std::string::npos) return 0;
  const std::string again = words_.substr(at).append(fresh);
  size_t done = 0;
  for (size_t i = first; i < rows.size() && done < again.size(); ++i) {
    const size_t bytes = std::min(rows[i].size(), again.size() - done);
    if (again.compare(done, bytes, rows[i], 0, bytes) != 0) return 0;
    done += bytes;
  }
  return done < again.size() ? 0 : words_.size() - at;
}

void ToldWords::found(size_t at, size_t bytes) {
  at_ = at + bytes;
  found_any_ = true;
  const auto run =
      std::lower_bound(runs_.begin(), runs_.end(), at_,
                       [](const Run& earlier, size_t place) { return earlier.end < place; });
  if (run != runs_.end()) speaker_ = run->speaker;
}

void ToldWords::forget_oldest() {
  if (words_.size() <= kMaxTold) return;
  has_forgotten_ = true;
  constexpr size_t kForgotten = kMaxTold / 2;
  words_.erase(0, kForgotten);
  at_ -= std::min(at_, kForgotten);
  end_ -= std::min(end_, kForgotten);
  for (Run& run : runs_) run.end -= std::min(run.end, kForgotten);
  while (!runs_.empty() && runs_.front().end == 0) runs_.pop_front();
}

}  // namespace orch::driver
