#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "detect/row_range.h"
#include "detect/rows.h"
#include "term/screen.h"

namespace orch::detect {

using base::TimeMs;

// When the rows of the screen changed. A row moves if its text changes; digits do not count,
// because a clock ticks at rest, too. It shimmers if its text or its colours change. Changes while
// the agent draws typed keys, or draws itself anew, are passed over.
class Motion {
 public:
  static constexpr size_t kKept = 8;  // the latest moves that are remembered of each row
  // Distinct times, the latest first.
  struct Moves {
    std::array<TimeMs, kKept> at{};
    size_t count = 0;
  };

  // After `rows` were read from `screen`.
  void look(TimeMs now, const Rows& rows, const term::Screen& screen);
  void pass_over(TimeMs until);  // changes before `until` do not count
  Moves in(RowRange range) const;
  Moves shimmers_in(RowRange range) const;

 private:
  struct Row {
    uint64_t stamp = 0;  // of the row on the screen
    uint64_t text = 0;   // a hash of the text without its digits
    uint64_t ink = 0;    // a hash of the styles
    Moves moves, shimmers;
  };
  Moves all_in(RowRange range, Moves Row::*kind) const;
  std::vector<Row> rows_;
  TimeMs passed_over_ = 0;
};

}  // namespace orch::detect
