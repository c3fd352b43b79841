#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "ui/output_stream.h"
#include "ui/runner_guard.h"

namespace orch::ui {

// What is kept of what a person was not told yet, since their terminal stands still.
inline constexpr size_t kMostNoticeBytes = 64 << 10;

// What a run tells on standard error, line by line and without ever waiting: each line once the
// stream has taken all that was printed on it before. Too many, and the oldest are left out, which
// is said in their place.
class Notices {
 public:
  explicit Notices(OutputStream& stream) : stream_(stream) {}

  void say(std::string_view lines);  // whole lines, each with its line feed
  bool all_said() const { return lines_.empty() && stream_.waiting_bytes() == 0; }
  // Whether the stream waits for nothing but what was said last.
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
  size_t given_bytes_ = 0;  // to the stream, last
  bool waits_ = false;      // to be told that the stream is drained
};

}  // namespace orch::ui
