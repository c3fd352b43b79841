#include "host/subscriber.h"

#include <vector>

#include "wire/message.h"

namespace orch::host {

using wire::FrameType;

Subscriber::Subscriber(loop::Stream& stream, const ControlledSession& session, Wanted wanted)
    : stream_(stream), session_(session), wanted_(wanted) {}

bool Subscriber::wants(FrameType type) const {
  return (type == FrameType::kEvent && wanted_.events) || (type == FrameType::kRaw && wanted_.raw);
}

void Subscriber::begin() {
  if (wanted_.snapshots) stream_.write(session_.snapshot());
  if (!wanted_.events || session_.head().empty()) return;
  stream_.write(wire::encode(FrameType::kEvent, session_.head()));
}

void Subscriber::offer(const std::string& frame, uint64_t offset) {
  const bool fits = stream_.queued_bytes() + frame.size() <= kMaxQueuedBytes;
  if (pace_ == Pace::kLive && fits) return stream_.write_droppable(frame, offset);
  fall_behind(offset);
  count_dropped(frame);
}

void Subscriber::on_screen_replaced() {
  if (!wanted_.snapshots || pace_ == Pace::kLagging) return;
  if (stream_.queued_bytes() > kMaxQueuedBytes) return fall_behind(session_.events_size());
  stream_.write(session_.snapshot());
}

void Subscriber::miss(uint64_t offset) { fall_behind(offset); }

void Subscriber::fall_behind(uint64_t offset) {
  if (pace_ == Pace::kLagging) return;
  pace_ = Pace::kLagging;
  const std::vector<loop::Stream::Dropped> dropped = stream_.drop_unstarted();
  gap_from_ = dropped.empty() ? offset : dropped.front().mark;
  for (const loop::Stream::Dropped& frame : dropped) count_dropped(frame.bytes);
}

void Subscriber::count_dropped(std::string_view frame) {
  const auto type = static_cast<FrameType>(frame[wire::kFrameHeaderBytes - 1]);
  if (type == FrameType::kRaw) dropped_bytes_ += frame.size() - wire::kFrameHeaderBytes;
}

void Subscriber::on_drained() {
  if (pace_ == Pace::kLagging) tell_lagged();
}

void Subscriber::part() {
  if (pace_ == Pace::kLagging) tell_lagged();
}

void Subscriber::tell_lagged() {
  pace_ = Pace::kLive;
  if (wanted_.snapshots) return stream_.write(session_.snapshot());
  const wire::Lagged lagged{.events_from = gap_from_,
                            .events_offset = session_.events_size(),
                            .dropped_bytes = dropped_bytes_};
  dropped_bytes_ = 0;
  stream_.write(wire::encode(FrameType::kLagged, wire::to_json(lagged)));
}

}  // namespace orch::host
