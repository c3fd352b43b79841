#include "gateway/playback.h"

#include <algorithm>
#include <utility>

namespace orch::gateway {

Playback::Playback(loop::Loop& loop, std::vector<tape::Piece> pieces, bool has_head,
                   tape::Answer::End end, Told told)
    : timer_(loop),
      pieces_(std::move(pieces)),
      has_head_(has_head),
      end_(end),
      told_(std::move(told)) {
  wait();
}

void Playback::resume() {
  if (!std::exchange(is_paused_, false) || timer_.active()) return;
  timer_.start(0, [this] { step(); });
}

// The head goes with the first piece.
void Playback::wait() {
  int64_t pause = 0;
  if (next_ < pieces_.size()) {
    pause = pieces_[next_].ms - (next_ > 0 ? pieces_[next_ - 1].ms : 0);
  } else if (end_ == tape::Answer::End::kLeft) {
    return timer_.start(kMostSilenceMs, [this] { finish(false); });
  }
  timer_.start(std::clamp<int64_t>(pause, 0, kMostPauseMs), [this] { step(); });
}

void Playback::step() {
  if (is_paused_) return;
  if (has_head_ && !std::exchange(is_head_sent_, true)) told_.on_head();
  if (next_ < pieces_.size()) {
    told_.on_body(pieces_[next_++].bytes);
    return wait();
  }
  if (end_ == tape::Answer::End::kLeft) return wait();
  finish(end_ == tape::Answer::End::kWhole);
}

void Playback::finish(bool is_whole) {
  const auto on_done = std::move(told_.on_done);
  on_done(is_whole);
}

}  // namespace orch::gateway
