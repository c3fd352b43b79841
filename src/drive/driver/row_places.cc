#include "driver/row_places.h"

#include <algorithm>
#include <functional>

namespace orch::driver {
namespace {

using Rows = std::span<const uint64_t>;

// The rows between the common beginning and the common end of both screens. They mostly are few, so
// match_middle()'s table of all pairs, for the common subsequence, is small.
struct Middle {
  size_t begin = 0, before_end = 0, now_end = 0;
};

void match_middle(Rows before, Rows now, Middle middle, std::vector<size_t>& places) {
  const size_t n = middle.before_end - middle.begin, m = middle.now_end - middle.begin;
  if (n == 0 || m == 0) return;
  const size_t width = m + 1;
  thread_local std::vector<uint16_t> common;  // one for all: a look at a screen allocates nothing
  common.assign((n + 1) * width, 0);
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

uint64_t row_hash(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return 0;
  return std::hash<std::string_view>()(text) | 1;
}

void find_places(Rows before, Rows now, std::vector<size_t>& places) {
  places.assign(now.size(), kNewRow);
  Middle middle{0, before.size(), now.size()};
  const auto keep = [&](size_t i, size_t j) {
    if (now[j] != 0) places[j] = i;
  };
  while (middle.begin < std::min(middle.before_end, middle.now_end) &&
         before[middle.begin] == now[middle.begin]) {
    keep(middle.begin, middle.begin);
    ++middle.begin;
  }
  while (std::min(middle.before_end, middle.now_end) > middle.begin &&
         before[middle.before_end - 1] == now[middle.now_end - 1]) {
    keep(--middle.before_end, --middle.now_end);
  }
  match_middle(before, now, middle, places);
}

}  // namespace orch::driver
