#include "driver/row_places.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace orch::driver {
namespace {

// Each row is represented by the hash of its text; 0 is a blank row. A collision is so unlikely
// that it does not matter.
using Rows = std::vector<size_t>;

Rows hashed(const std::vector<const std::string*>& texts) {
  Rows rows(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool blank = texts[i]->find_first_not_of(' ') == std::string::npos;
    rows[i] = blank ? 0 : std::hash<std::string_view>()(*texts[i]) | 1;
  }
  return rows;
}

// The rows between the common beginning and the common end of both screens. They mostly are few, so
// the table of all pairs that match_middle() needs for their common subsequence is small.
struct Middle {
  size_t begin = 0, before_end = 0, now_end = 0;
};

void match_middle(const Rows& before, const Rows& now, Middle middle, std::vector<size_t>& places) {
  const size_t n = middle.before_end - middle.begin, m = middle.now_end - middle.begin;
  if (n == 0 || m == 0) return;
  const size_t width = m + 1;
  std::vector<uint16_t> common((n + 1) * width, 0);
  const auto same = [&](size_t i, size_t j) {
    return before[middle.begin + i] == now[middle.begin + j] && now[middle.begin + j] != 0;
  };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      common[i * width + j] =
          same(i, j) ? static_cast<uint16_t>(common[(i + 1) * width + j + 1] + 1)
                     : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (same(i, j)) {
      places[middle.begin + j++] = middle.begin + i++;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

}  // namespace

std::vector<size_t> places_before(const std::vector<const std::string*>& before,
                                  const std::vector<const std::string*>& now) {
  const Rows old_rows = hashed(before), rows = hashed(now);
  std::vector<size_t> places(rows.size(), kNewRow);
  Middle middle{0, old_rows.size(), rows.size()};
  const auto keep = [&](size_t i, size_t j) {
    if (rows[j] != 0) places[j] = i;
  };
  while (middle.begin < std::min(middle.before_end, middle.now_end) &&
         old_rows[middle.begin] == rows[middle.begin]) {
    keep(middle.begin, middle.begin);
    ++middle.begin;
  }
  while (std::min(middle.before_end, middle.now_end) > middle.begin &&
         old_rows[middle.before_end - 1] == rows[middle.now_end - 1]) {
    keep(--middle.before_end, --middle.now_end);
  }
  match_middle(old_rows, rows, middle, places);
  return places;
}

}  // namespace orch::driver
