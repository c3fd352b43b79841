#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "loop/timer.h"
#include "tape/tape.h"

namespace orch::loop {
class Loop;
}

namespace orch::gateway {

// Gives an answer from a tape piece by piece, at the pace of the tape, but no pause is longer than
// kMostPauseMs. After an answer whose agent hung up it keeps silent until this one does, or for
// kMostSilenceMs.
class Playback {
 public:
  static constexpr int64_t kMostPauseMs = 1'000, kMostSilenceMs = 30'000;

  struct Told {
    std::function<void()> on_head;
    std::function<void(std::string_view bytes)> on_body;
    // The answer is over, as a whole or not; it may destroy this.
    std::function<void(bool is_whole)> on_done;
  };
  // All are called from the loop, later. `pieces` are the body.
  Playback(loop::Loop& loop, std::vector<tape::Piece> pieces, bool has_head, tape::Answer::End end,
           Told told);
  Playback(const Playback&) = delete;
  Playback& operator=(const Playback&) = delete;

  void pause() { is_paused_ = true; }
  void resume();

 private:
  void wait();
  void step();
  void finish(bool is_whole);

  loop::Timer timer_;
  std::vector<tape::Piece> pieces_;
  bool has_head_;  // the answer has one
  tape::Answer::End end_;
  Told told_;
  size_t next_ = 0;
  bool is_head_sent_ = false, is_paused_ = false;
};

}  // namespace orch::gateway
