#pragma once

namespace orch::detect {

struct RowRange {
  int begin = 0, end = 0;  // [begin, end), screen rows
  bool empty() const { return begin >= end; }
};

}  // namespace orch::detect
