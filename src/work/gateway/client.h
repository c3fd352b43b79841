#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/fd.h"
#include "base/result.h"
#include "exchange/protocol.h"
#include "exchange/usage.h"
#include "gateway/gateway.h"
#include "gateway/playback.h"
#include "http/request.h"
#include "http/tunnel.h"
#include "loop/stream.h"

namespace orch::gateway {

inline constexpr const char* kLog = "gateway";  // who writes a line of the log

// A request that was sent to the model.
struct Exchange {
  exchange::Asked asked;
  adapters::GatewaySpec::Kind::Is kind = adapters::GatewaySpec::Kind::Is::kSide;
  bool keeps_alive = true, is_old = false, is_head = false;
  exchange::Framing framing = exchange::Framing::kNone;
  bool has_head = false;  // the answer has begun
  bool is_good = false;   // by its status
  bool is_whole = false;  // it came to its end
  exchange::UsageReader usage{exchange::Protocol::kNone, false};
  std::unique_ptr<http::Request> request;
  std::unique_ptr<Playback> playback;  // in place of the request
  std::optional<tape::Entry> entry;    // for the tape
  int64_t began_ms = 0;                // by the loop's clock
  size_t taped_bytes = 0;
  void pause() const { request ? request->pause() : playback->pause(); }
  void resume() const {
    if (request) request->resume();
    if (playback) playback->resume();
  }
};

// One connection of the agent's. It carries one request after the other.
class Gateway::Client {
 public:
  Client(Gateway& gateway, base::Fd connection);
  // A client that leaves, or a run that ends, ends its request; what the model has reported so far
  // is counted.
  ~Client() { settle(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_admitted() const { return is_admitted_; }
  bool has_turn_in_flight() const;
  // What the request under way has used so far.
  event::Usage under_way() const;

 private:
  void on_data(std::string_view bytes);
  // Answers the requests that have come, up to the first that the model has to answer.
  void take_next();
  void take(exchange::Request request);
  // A program that takes the gateway for its proxy may write the gateway's own address.
  void leave_out_own_origin(exchange::Request& request) const;
  // Leads a process of the fence to a host that the user has named.
  void connect(const std::string& authority);
  void on_open(base::Result<base::Fd> peer);
  static void pass(loop::Stream& from, loop::Stream& to, std::string_view bytes);
  // The host has hung up: the rest of its bytes still goes to the client.
  void end_tunnel();
  // The agent's turn ends here. The words lie in its conversation as its own, so they name orch.
  void end_turn(const exchange::Asked& asked, bool keeps, const std::string& why);
  void refuse_stranger() { refuse(403, "the secret of the run is missing", false); }
  void refuse(int status, const std::string& reason, bool keeps);
  void send(exchange::Request request, const exchange::Asked& asked);
  // Answers from the tape.
  void play(const exchange::Request& request, const exchange::Asked& asked);
  void on_played(bool is_whole);
  void on_head(const http::Response& head);
  void on_body(std::string_view bytes);
  // Keeps a piece of the answer. One that is too long breaks off on the tape.
  void tape(std::string_view bytes);
  void on_done(const std::variant<http::Response, http::Failure>& outcome);
  // Ends the request under way, if any, and counts its usage as far as it is known.
  void settle();
  // Closes the connection once all is written.
  void close();
  void on_drained();

  Gateway& gateway_;
  loop::Stream stream_;
  exchange::RequestReader reader_;
  std::optional<Exchange> exchange_;
  std::unique_ptr<http::Tunnel> tunnel_;  // to a named host
  std::unique_ptr<loop::Stream> peer_;    // its connection, once it is open
  bool closing_ = false;
  bool is_admitted_ = false;  // it has shown the run's secret
  int ends_ = 0;              // of turns, by orch
};

}  // namespace orch::gateway
