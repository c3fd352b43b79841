#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "host/connection.h"
#include "host/connection_room.h"
#include "host/controlled_session.h"
#include "loop/listener.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "peer/session_socket.h"

namespace orch::host {

inline constexpr size_t kMaxConnections = 256;  // to one session
inline constexpr size_t kMaxFollowers = 64;     // among the connections
// The most of these connections for processes of a run, and for programs other than orch.
inline constexpr size_t kMaxOfRun = 128, kMaxOfOthers = 128;
// How long queued frames may take when a session has ended.
inline constexpr int64_t kPartingMs = 1'000;

// Serves one session at its socket: owns the socket, all connections and their queued frames.
// Whatever the peers do, they can neither hold up the session nor affect each other. Keeps
// Loop::run() running until the last connection has parted.
//
// When all connections are in use, a new one takes the place of the one that has been idle longest,
// first of those of programs other than orch and of a run's processes; if none is idle, the new
// peer is refused as busy. The same holds when these two kinds have too many, or when all sessions
// of the host have as many as there is room for. When there are too many followers, one that
// belongs to a run gives way to one that does not.
class ControlSocket {
 public:
  // `session` lives until on_end(), `room` outlives this.
  ControlSocket(loop::Loop& loop, peer::ListeningSocket listening, ControlledSession& session,
                ConnectionRoom& room, Peers peers = Peers::kOurs);
  ~ControlSocket() { room_.remove(this); }
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  const std::string& path() const { return path_; }

  // `json`: one line, without its end, that was just appended to events.jsonl, or that is not
  // recorded there.
  void on_event(std::string_view json);
  void on_raw(std::string_view bytes);
  void on_screen_replaced();

  // The session has ended, with result.json. The socket's name is removed at once; the connected
  // peers get their queued frames and the result, for kPartingMs at most. Then `on_parted`, if
  // given, is called from the loop; it may destroy this.
  void on_end(std::string_view result_json, std::function<void()> on_parted = nullptr);

  size_t connections() const { return connections_.size(); }
  size_t queued_bytes() const;  // for all peers

 private:
  void on_connection(base::Fd socket);
  bool admits(const base::Fd& socket) const;
  void on_shortage(int error);
  void on_done(const Connection& done, std::string_view why);
  void remove(const Connection& gone);
  std::vector<Connection*> idle_connections() const;  // sorted, the longest idle first
  bool has_part(Connection& newcomer);
  bool close_one(const std::vector<Connection*>& idle);
  bool make_room();
  bool admits_follower(Connection& newcomer);
  void note(std::string_view text);
  void broadcast(wire::FrameType type, std::string_view payload);
  void on_all_gone();

  loop::Loop& loop_;
  ControlledSession& session_;
  ConnectionRoom& room_;
  Peers peers_;
  std::string path_;
  uint64_t told_offset_;      // size of events.jsonl after the event reported last
  size_t message_bytes_ = 0;  // of the messages that wait for the agent
  int notes_ = 0;             // lines in the log so far
  std::vector<std::unique_ptr<Connection>> connections_;
  // Outlives name_; both are empty once on_end() was called.
  std::unique_ptr<loop::Listener> listener_;
  std::optional<peer::SocketName> name_;
  loop::Timer parting_;
  std::function<void()> on_parted_;
};

}  // namespace orch::host
