#include "words/alignment.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <unordered_map>

#include "base/check.h"

namespace orch::words {
namespace {

using Number = uint32_t;  // equal words have equal numbers
using Numbers = std::span<const Number>;

struct Point {
  size_t said = 0, told = 0;  // how many words of each are before it
};

// For each diagonal (said - told), the furthest point that a path with the present number of
// differences reaches. Forward paths start at the beginning; the others start at the end, and their
// counts are from the end, too.
class Frontier {
 public:
  Frontier(Numbers said, Numbers told, bool forward)
      : said_(said),
        told_(told),
        forward_(forward),
        offset_(signed_size(told) + 1),
        furthest_(said.size() + told.size() + 3) {}

  // Extends all paths by one difference. Calls `reached(diagonal, count)` for each, and stops when
  // that returns true.
  template <typename Reached>
  bool extend(int64_t differences, Reached reached) {
    const int64_t n = signed_size(said_), m = signed_size(told_);
    // Further diagonals lie outside of both texts.
    const int64_t lowest = -(differences - 2 * std::max<int64_t>(0, differences - m));
    const int64_t highest = differences - 2 * std::max<int64_t>(0, differences - n);
    for (int64_t diagonal = lowest; diagonal <= highest; diagonal += 2) {
      const bool down = diagonal == -differences ||
                        (diagonal != differences && at(diagonal - 1) < at(diagonal + 1));
      int64_t count = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (count < n && count - diagonal < m && equal(count, count - diagonal)) ++count;
      at(diagonal) = count;
      if (reached(diagonal, count)) return true;
    }
    return false;
  }

  int64_t& at(int64_t diagonal) { return furthest_[static_cast<size_t>(diagonal + offset_)]; }

 private:
  static int64_t signed_size(Numbers numbers) { return static_cast<int64_t>(numbers.size()); }

  bool equal(int64_t said, int64_t told) const {
    const auto i = static_cast<size_t>(said), j = static_cast<size_t>(told);
    return forward_ ? said_[i] == told_[j]
                    : said_[said_.size() - 1 - i] == told_[told_.size() - 1 - j];
  }

  Numbers said_, told_;
  bool forward_;
  int64_t offset_;
  std::vector<int64_t> furthest_;
};

// Returns a point on a longest common subsequence, in the middle of its differences. There must be
// at least two of these.
Point middle(Numbers said, Numbers told) {
  const auto n = static_cast<int64_t>(said.size()), m = static_cast<int64_t>(told.size());
  const int64_t skew = n - m;  // the diagonal on which both texts end
  Frontier forward(said, told, true), backward(said, told, false);
  Point point;
  for (int64_t differences = 0; differences <= (n + m + 1) / 2; ++differences) {
    // Where paths from both ends meet, they form a path with the fewest differences.
    if (forward.extend(differences, [&](int64_t diagonal, int64_t count) {
          const int64_t opposite = skew - diagonal;
          if (skew % 2 == 0 || std::abs(opposite) >= differences) return false;
          point = {static_cast<size_t>(count), static_cast<size_t>(count - diagonal)};
          return count + backward.at(opposite) >= n;
        })) {
      return point;
    }
    if (backward.extend(differences, [&](int64_t diagonal, int64_t count) {
          const int64_t opposite = skew - diagonal;
          if (skew % 2 != 0 || std::abs(opposite) > differences) return false;
          point = {static_cast<size_t>(n - count), static_cast<size_t>(m - (count - diagonal))};
          return count + forward.at(opposite) >= n;
        })) {
      return point;
    }
  }
  ORCH_CHECK(false);  // the paths meet at the latest when each has half the length of both texts
  return point;
}

// Sets those elements of `marks`, from `at` on, whose words of `said` are in a longest common
// subsequence.
void align(Numbers said, Numbers told, size_t at, std::vector<bool>& marks) {
  while (!said.empty() && !told.empty() && said.front() == told.front()) {
    marks[at++] = true;
    said = said.subspan(1);
    told = told.subspan(1);
  }
  while (!said.empty() && !told.empty() && said.back() == told.back()) {
    marks[at + said.size() - 1] = true;
    said = said.first(said.size() - 1);
    told = told.first(told.size() - 1);
  }
  if (said.empty() || told.empty()) return;
  const Point point = middle(said, told);
  align(said.first(point.said), told.first(point.told), at, marks);
  align(said.subspan(point.said), told.subspan(point.told), at + point.said, marks);
}

}  // namespace

std::vector<bool> told_words(const std::vector<std::string>& said,
                             const std::vector<std::string>& told) {
  std::unordered_map<std::string, Number> numbers;
  const auto numbered = [&numbers](const std::vector<std::string>& words) {
    std::vector<Number> result;
    result.reserve(words.size());
    for (const std::string& word : words) {
      result.push_back(
          numbers.try_emplace(word, static_cast<Number>(numbers.size())).first->second);
    }
    return result;
  };
  const std::vector<Number> said_numbers = numbered(said), told_numbers = numbered(told);
  std::vector<bool> marks(said.size());
  align(said_numbers, told_numbers, 0, marks);
  return marks;
}

}  // namespace orch::words
