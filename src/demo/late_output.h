#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace orch::demo {

// Output on its way over a slow line: all of it comes out in order, and this much later than it was
// put in. Times are milliseconds and never go back.
class LateOutput {
 public:
  explicit LateOutput(int64_t lag_ms) : lag_ms_(lag_ms) {}

  void add(std::string bytes, int64_t now_ms);
  std::string take(int64_t now_ms);         // what has come through
  std::optional<int64_t> deadline() const;  // of the next; none: nothing is on its way

 private:
  struct Piece {
    int64_t due_ms;
    std::string bytes;
  };

  int64_t lag_ms_;
  std::deque<Piece> pieces_;
};

}  // namespace orch::demo
