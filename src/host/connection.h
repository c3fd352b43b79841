#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "host/controlled_session.h"
#include "host/peer_process.h"
#include "host/subscriber.h"
#include "loop/life.h"
#include "loop/stream.h"
#include "loop/timer.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::host {

// How long a peer may take for its first request, and for the rest of one that it began.
inline constexpr int64_t kRequestPatienceMs = 5'000;

// One peer of a session's socket: answers what it asks and, once it subscribed, sends it what
// happens. A peer that breaks the protocol is done with.
class Connection {
 public:
  // `on_done` is called from the loop, once: the peer is gone or done with. It destroys this.
  Connection(loop::Loop& loop, base::Fd socket, ControlledSession& session,
             std::function<void(const Connection&)> on_done);
  ~Connection();  // takes back what it was to send
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool wants(wire::FrameType type) const { return subscriber_ && subscriber_->wants(type); }
  // As Subscriber's; of a type that it wants.
  void offer(const std::string& frame, uint64_t offset) { subscriber_->offer(frame, offset); }
  void miss(uint64_t offset) { subscriber_->miss(offset); }
  // Sends what it has not been sent yet and this last frame, then is done. The session may go.
  void part(const std::string& last_frame);
  size_t queued_bytes() const { return stream_.queued_bytes(); }

 private:
  enum class Phase : uint8_t { kServing, kParting };
  enum class Served : uint8_t { kYes, kNo };  // kNo: the peer broke the protocol

  void on_data(std::string_view bytes);
  void on_drained();
  void serve_waiting();
  void wait_for_rest();
  Served serve(const wire::Frame& frame);
  void serve(const wire::Request& request);
  void send(int64_t request, const wire::Send& message);
  void reset(int64_t request);
  void refuse(int64_t request, const base::Error& error);
  bool may_change(int64_t request);  // false: it was refused
  void answer(const wire::Answer& answer);
  void done();

  ControlledSession& session_;
  std::function<void(const Connection&)> on_done_;
  PeerProcess peer_;
  loop::Stream stream_;
  wire::Decoder decoder_;
  std::optional<Subscriber> subscriber_;
  loop::Timer patience_;
  Phase phase_ = Phase::kServing;
  std::map<int64_t, std::string> sending_;  // by request: the messages that are not decided
  bool resetting_ = false;                  // it asked for a reset that is not done
  loop::Life life_;
};

}  // namespace orch::host
