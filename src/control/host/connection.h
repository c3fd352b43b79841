#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "host/connection_room.h"
#include "host/controlled_session.h"
#include "host/subscriber.h"
#include "loop/life.h"
#include "loop/stream.h"
#include "loop/timer.h"
#include "peer/peer_process.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::host {

// How long a peer may take for its first request, and for the rest of a request that it has begun.
inline constexpr int64_t kRequestPatienceMs = 5'000;
// How long one peer is served in one turn of the loop, though for one request at least; the others
// wait.
inline constexpr int64_t kServedPerTurnUs = 100;
// Limits for the messages that wait for the agent: of one peer, and of all peers of a session. A
// message counts with its bytes and the overhead. A single one is always taken
// (wire::kMaxPayloadBytes).
inline constexpr size_t kMostMessageBytes = 1 << 20;
inline constexpr size_t kMostMessageBytesOfAll = 8 << 20;
inline constexpr size_t kMessageOverheadBytes = 1 << 10;
// How many messages may wait for an agent of a crew before further nudges are refused.
inline constexpr int kMostPendingNudges = 100;
// A peer that leaves more bytes of answers unread is disconnected: answers cannot be held back.
inline constexpr size_t kMostUnreadBytes = 1 << 20;

// The peers that may connect to a socket.
enum class Peers : uint8_t {
  kOurs,      // the processes of our user
  kEnclosed,  // processes in the session's container; they may only report calls
};

// A peer that is connected to a session's socket: answers its requests and, once it has subscribed,
// sends it events and output. A peer that breaks the protocol is disconnected.
class Connection {
 public:
  // Called from the loop.
  struct Callbacks {
    // Called once: the peer is gone, or to be disconnected for the reason `why` ("" otherwise). The
    // callee destroys the connection.
    std::function<void(const Connection&, std::string_view why)> on_done;
    // Whether this connection may follow the session. Other connections may be destroyed by the
    // call.
    std::function<bool(Connection&)> admits_follower;
    ConnectionRoom::Place place;
  };
  // `message_bytes` counts for all connections of this session. `session` outlives this.
  Connection(loop::Loop& loop, base::Fd socket, ControlledSession& session, size_t& message_bytes,
             Callbacks callbacks, Peers peers = Peers::kOurs);
  ~Connection();  // withdraws the messages that are not sent yet
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool wants(wire::FrameType type) const { return subscriber_ && subscriber_->wants(type); }
  // See Subscriber; only for frames of a type that it wants.
  void offer(const std::string& frame, uint64_t offset) { subscriber_->offer(frame, offset); }
  void miss(uint64_t offset) { subscriber_->miss(offset); }
  // Sends the queued frames and this last one, then the connection is done. The session may be
  // destroyed.
  void part(const std::string& last_frame);
  void on_screen_replaced() {
    if (subscriber_) subscriber_->on_screen_replaced();
  }
  size_t queued_bytes() const { return stream_.queued_bytes(); }

  bool follows() const { return subscriber_.has_value(); }
  // The peer neither follows nor waits for an answer that takes time, so its connection may be
  // closed in favour of a new one.
  bool idle() const {
    return !follows() && sending_.empty() && !resetting_ && !answering_ && starting_.empty() &&
           calls_.empty();
  }
  // When the last request came, or the connection.
  int64_t served_at_us() const { return served_at_us_; }
  bool belongs_to_run();                     // or hides whether it does; then it does not count as
                                             // the user's
  bool is_orch() const { return is_orch_; }  // its program is this one: a command of orch
  // Refuses the peer because there are too many of its kind, and disconnects it.
  void refuse_and_close();

 private:
  enum class Phase : uint8_t { kServing, kDropped, kParting };
  enum class Served : uint8_t { kYes, kNo };  // kNo: the peer has broken the protocol

  void on_data(std::string_view bytes);
  void on_drained();
  void serve_waiting();
  void serve_later(int64_t in_ms);
  void wait_for_rest();
  void drop(std::string_view why);
  Served serve(const wire::Frame& frame);
  void serve(const wire::Request& request);
  Served serve_input(std::string_view payload);
  bool is_viewer(int64_t request, uint32_t viewer);  // false: the request was refused
  void attach(int64_t request, const wire::Attach& wanted);
  void detach();
  bool admit(int64_t request);  // as a follower; false: the request was refused
  void send(int64_t request, const wire::Send& message, const std::string& from);
  void nudge(int64_t request, const wire::Nudge& nudge);
  std::optional<std::string> sender_in(const CrewDesk& crew) const;
  void start_member(int64_t request, const std::string& agent);
  void forget_start();
  void reset(int64_t request);
  void check_call(int64_t request, const std::string& event);
  void answer_dialog(int64_t request, const wire::AnswerDialog& dialog);
  void refuse(int64_t request, const base::Error& error);
  bool is_for_this_run(const wire::Request& request);  // false: the request was refused
  bool may_ask(const wire::Request& request);          // false: the request was refused
  bool may_change(int64_t request);                    // false: the request was refused
  void refuse_busy(int64_t request, std::string text);
  void answer(const wire::Answer& answer);
  void done(std::string_view why);

  // A message that is still to be delivered: its id in the run, and the bytes that it counts for.
  struct Sending {
    std::string message;
    size_t bytes = 0;
  };
  void forget(std::map<int64_t, Sending>::iterator sending);

  loop::Loop& loop_;
  ControlledSession& session_;
  size_t& message_bytes_of_all_;
  Callbacks callbacks_;
  Peers peers_;
  peer::PeerProcess peer_;
  bool is_orch_;
  std::optional<bool> belongs_to_run_;  // unset until somebody asks
  std::string refusal_;                 // why it may not change anything, kept once it was refused
  loop::Stream stream_;
  wire::Decoder decoder_;
  std::optional<Subscriber> subscriber_;
  loop::Timer patience_, next_turn_;
  int64_t served_at_us_;
  Phase phase_ = Phase::kServing;
  std::map<int64_t, Sending> sending_;  // by the id of the request
  size_t message_bytes_ = 0;            // of all in sending_
  std::optional<uint32_t> viewer_;
  bool resetting_ = false;  // it has asked for a reset that is not done yet
  // The crew member that it has asked to start, while the start is not decided; otherwise "".
  std::string starting_;
  std::map<int64_t, std::string> calls_;  // undecided calls: their ids, by the request's id
  bool answering_ = false;                // it has answered a dialog that still stands
  loop::Life life_;
};

}  // namespace orch::host
