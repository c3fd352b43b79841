#include "detect/motion.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace orch::detect {
namespace {

// FNV-1a.
constexpr uint64_t kSeed = 0xcbf29ce484222325;
uint64_t hashed(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x100000001b3; }

// Leaves out blanks, too: a counter that grows moves the text behind it.
uint64_t hash_without_digits(std::string_view text) {
  uint64_t hash = kSeed;
  for (const char c : text) {
    const bool counts = (c < '0' || c > '9') && c != ' ';
    if (counts) hash = hashed(hash, static_cast<unsigned char>(c));
  }
  return hash;
}

uint64_t hash_of_styles(const term::RowView& row) {
  uint64_t hash = kSeed;
  for (const term::StyleId style : row.styles) hash = hashed(hash, static_cast<uint64_t>(style));
  return hash;
}

// Adds a time in its place; the earliest falls out.
void add(Motion::Moves& moves, TimeMs at) {
  size_t place = 0;
  while (place < moves.count && moves.at[place] > at) ++place;
  if (place == Motion::kKept || (place < moves.count && moves.at[place] == at)) return;
  moves.count = std::min(moves.count + 1, Motion::kKept);
  std::move_backward(moves.at.begin() + static_cast<std::ptrdiff_t>(place),
                     moves.at.begin() + static_cast<std::ptrdiff_t>(moves.count) - 1,
                     moves.at.begin() + static_cast<std::ptrdiff_t>(moves.count));
  moves.at[place] = at;
}

}  // namespace

void Motion::look(TimeMs now, const Rows& rows, const term::Screen& screen) {
  const auto count = static_cast<size_t>(rows.count());
  const bool counts = now >= passed_over_ && rows_.size() == count;
  rows_.resize(count);
  for (size_t at = 0; at < count; ++at) {
    Row& row = rows_[at];
    const int number = static_cast<int>(at);
    if (row.stamp == screen.stamp(number)) continue;
    row.stamp = screen.stamp(number);
    const uint64_t text = hash_without_digits(rows[number].text);
    const uint64_t ink = hash_of_styles(screen.row(number));
    const bool moved = std::exchange(row.text, text) != text;
    const bool shimmered = std::exchange(row.ink, ink) != ink;
    if (counts && moved) add(row.moves, now);
    if (counts && (moved || shimmered)) add(row.shimmers, now);
  }
}

void Motion::pass_over(TimeMs until) { passed_over_ = std::max(passed_over_, until); }

Motion::Moves Motion::in(RowRange range) const { return all_in(range, &Row::moves); }

Motion::Moves Motion::shimmers_in(RowRange range) const { return all_in(range, &Row::shimmers); }

Motion::Moves Motion::all_in(RowRange range, Moves Row::*kind) const {
  Moves all;
  const int end = std::min(range.end, static_cast<int>(rows_.size()));
  for (int row = range.begin; row < end; ++row) {
    const Moves& moves = rows_[static_cast<size_t>(row)].*kind;
    for (size_t i = 0; i < moves.count; ++i) add(all, moves.at[i]);
  }
  return all;
}

}  // namespace orch::detect
