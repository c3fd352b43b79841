#include "toy_source.h"

#include <utility>

namespace orch::session {

SourceFactory ToySource::factory(Peer peer, ToySource** made) {
  return [peer = std::move(peer), made](
             loop::Loop& loop, const pty::SpawnPlan& /*plan*/,
             SourceObserver& observer) -> base::Result<std::unique_ptr<Source>> {
    auto source = std::make_unique<ToySource>(loop, peer, observer);
    if (made != nullptr) *made = source.get();
    return std::unique_ptr<Source>(std::move(source));
  };
}

ToySource::ToySource(loop::Loop& loop, Peer peer, SourceObserver& observer)
    : peer_(std::move(peer)), observer_(observer), timer_(loop) {
  timer_.start(1, [this] { step(); });
}

void ToySource::write(std::string bytes) {
  written_ += bytes;
  pending_ += bytes;
  timer_.start(1, [this] { step(); });
}

void ToySource::stop(StopOrder order) {
  quit_bytes_ = order.quit_bytes;
  end(0);
}

void ToySource::end(int code) {
  ending_ = true;
  code_ = code;
  timer_.start(1, [this] { step(); });
}

void ToySource::step() {
  if (!begun_ || !pending_.empty()) {
    begun_ = true;
    const std::string said = peer_(std::exchange(pending_, {}));
    if (!said.empty()) observer_.on_output(said);
  }
  if (!ending_) return;
  timer_.stop();
  observer_.on_end({.code = code_, .signal = 0});  // destroys this
}

}  // namespace orch::session
