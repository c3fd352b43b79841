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
// How long one peer is served in one turn of the loop, a request at least: others wait meanwhile.
inline constexpr int64_t kServedPerTurnUs = 100;
// The messages of one peer that wait for the agent, and those of all peers of a session: their
// bytes, and so many more for each. A single one is taken in any case (wire::kMaxPayloadBytes).
inline constexpr size_t kMostMessageBytes = 1 << 20;
inline constexpr size_t kMostMessageBytesOfAll = 8 << 20;
inline constexpr size_t kMessageOverheadBytes = 1 << 10;
// Messages that wait for an agent of a crew: nobody may queue more by nudges.
inline constexpr int kMostPendingNudges = 100;
// A peer that leaves so many bytes of answers unread, which nobody can hold back, is done with.
inline constexpr size_t kMostUnreadBytes = 1 << 20;

// One peer of a session's socket: answers what it asks and, once it subscribed, sends it what
// happens. A peer that breaks the protocol is done with.
class Connection {
 public:
  // Told from the loop.
  struct Callbacks {
    // Once: the peer is gone, or done with for a reason ("" else). It destroys the connection.
    std::function<void(const Connection&, std::string_view why)> on_done;
    // It wants to follow the session: may it? Others may be destroyed meanwhile.
    std::function<bool(Connection&)> admits_follower;
  };
  // `message_bytes` is of all connections of this session, which outlives this.
  Connection(loop::Loop& loop, base::Fd socket, ControlledSession& session, size_t& message_bytes,
             Callbacks callbacks);
  ~Connection();  // takes back what it was to send
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool wants(wire::FrameType type) const { return subscriber_ && subscriber_->wants(type); }
  // As Subscriber's; of a type that it wants.
  void offer(const std::string& frame, uint64_t offset) { subscriber_->offer(frame, offset); }
  void miss(uint64_t offset) { subscriber_->miss(offset); }
  // Sends what it has not been sent yet and this last frame, then is done. The session may go.
  void part(const std::string& last_frame);
  void on_screen_replaced() {
    if (subscriber_) subscriber_->on_screen_replaced();
  }
  size_t queued_bytes() const { return stream_.queued_bytes(); }

  bool follows() const { return subscriber_.has_value(); }
  // Neither follows nor waits for an answer that only time brings: it may give way to another.
  bool idle() const {
    return !follows() && sending_.empty() && !resetting_ && !answering_ && starting_.empty();
  }
  int64_t served_at_us() const { return served_at_us_; }  // the last request, or the connection
  bool belongs_to_run();  // or hides whether it does: no person sits there

 private:
  enum class Phase : uint8_t { kServing, kDropped, kParting };
  enum class Served : uint8_t { kYes, kNo };  // kNo: the peer broke the protocol

  void on_data(std::string_view bytes);
  void on_drained();
  void serve_waiting();
  void serve_later(int64_t in_ms);
  void wait_for_rest();
  void drop(std::string_view why);
  Served serve(const wire::Frame& frame);
  void serve(const wire::Request& request);
  Served serve_input(std::string_view payload);
  bool is_viewer(int64_t request, uint32_t viewer);  // false: it was refused
  void attach(int64_t request, const wire::Attach& wish);
  void detach();
  bool admit(int64_t request);  // as a follower; false: it was refused
  void send(int64_t request, const wire::Send& message, const std::string& from);
  void nudge(int64_t request, const wire::Nudge& nudge);
  std::optional<std::string> sender_in(const CrewDesk& crew) const;
  void start_member(int64_t request, const std::string& agent);
  void forget_start();
  void reset(int64_t request);
  void answer_dialog(int64_t request, const wire::AnswerDialog& dialog);
  void refuse(int64_t request, const base::Error& error);
  bool is_for_this_run(const wire::Request& request);  // false: it was refused
  bool may_change(int64_t request);                    // the same
  void refuse_busy(int64_t request, std::string text);
  void answer(const wire::Answer& answer);
  void done(std::string_view why);

  // A message that is not decided, by its id in the run, and what it counts for.
  struct Sending {
    std::string message;
    size_t bytes = 0;
  };
  void forget(std::map<int64_t, Sending>::iterator sending);

  loop::Loop& loop_;
  ControlledSession& session_;
  size_t& message_bytes_of_all_;
  Callbacks callbacks_;
  PeerProcess peer_;
  std::optional<bool> belongs_to_run_;  // once that was asked
  std::string refusal_;                 // to change anything, once it was refused: that stays so
  loop::Stream stream_;
  wire::Decoder decoder_;
  std::optional<Subscriber> subscriber_;
  loop::Timer patience_, next_turn_;
  int64_t served_at_us_;
  Phase phase_ = Phase::kServing;
  std::map<int64_t, Sending> sending_;  // by request
  size_t message_bytes_ = 0;            // that they count for
  std::optional<uint32_t> viewer_;
  bool resetting_ = false;  // it asked for a reset that is not done
  std::string starting_;    // the member whose start it asked for and that is not decided; ""
  bool answering_ = false;  // it answered a dialog that was not seen to go yet
  loop::Life life_;
};

}  // namespace orch::host
