#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace orch::demo {

// Output on its way over a slow line: it comes out in order, each piece a fixed time after it was
// put in. Times are milliseconds and never go back.
class LateOutput {
 public:
  explicit LateOutput(int64_t lag_ms) : lag_ms_(lag_ms) {}

  void add(std::string bytes, int64_t now_ms);
  std::string take(int64_t now_ms);  // the output that has arrived
  // when the next output arrives; nullopt: none on its way
  std::optional<int64_t> deadline() const;

 private:
  struct Piece {
    int64_t due_ms;
    std::string bytes;
  };

  int64_t lag_ms_;
  std::deque<Piece> pieces_;
};

}  // namespace orch::demo
