#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "ui/output_stream.h"
#include "ui/runner_guard.h"

namespace orch::ui {

// The limit of buffered notices, in bytes, while the user's terminal takes no output.
inline constexpr size_t kMostNoticeBytes = 64 << 10;

// Prints a run's messages on standard error, line by line and without ever waiting: a line is
// written once the stream has taken all that was printed on it before. When more than
// kMostNoticeBytes wait, the oldest lines are left out, and a line in their place says how many.
class Notices {
 public:
  explicit Notices(OutputStream& stream) : stream_(stream) {}

  void say(std::string_view lines);  // whole lines, each with its line feed
  bool all_said() const { return lines_.empty() && stream_.waiting_bytes() == 0; }
  // Whether the notices that were given to the stream last are all that it still has to write.
  bool are_all_that_waits() const {
    return lines_.empty() && stream_.waiting_bytes() <= given_bytes_;
  }

 private:
  void make_room();
  void go_on();

  OutputStream& stream_;
  RunnerGuard guard_{runner_here()};
  std::deque<std::string> lines_;
  size_t bytes_ = 0;  // in lines_
  size_t left_out_ = 0;
  size_t given_bytes_ = 0;  // bytes given to the stream last
  bool waits_ = false;      // the stream still has to call on_drained
};

}  // namespace orch::ui
