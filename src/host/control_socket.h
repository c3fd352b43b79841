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
#include "host/controlled_session.h"
#include "host/runtime_dir.h"
#include "loop/listener.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::host {

inline constexpr size_t kMaxConnections = 256;  // of one session
inline constexpr size_t kMaxFollowers = 64;     // among them
inline constexpr int64_t kPartingMs = 1'000;    // for what is queued when a session ends

// Where one session is served: it owns the socket, everybody who is connected and what is queued
// for them. What the peers do, or do not do, never holds up the session, and never reaches another
// peer. Keeps Loop::run() running until it has parted.
//
// When all connections are in use a new one takes the place of the one that has been idle longest,
// of a process of a run first; when none is idle it is told so and closed. When there are too many
// followers, one that belongs to a run gives way to one that does not.
class ControlSocket {
 public:
  // The caller holds the session's lock. As listen_on(); `session` lives until on_end().
  static base::Result<std::unique_ptr<ControlSocket>> open(loop::Loop& loop,
                                                           const std::string& folder,
                                                           const std::string& name,
                                                           ControlledSession& session);
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  const std::string& path() const { return path_; }

  // One line, without its end, that was just appended to events.jsonl - or that is told only.
  void on_event(std::string_view json);
  void on_raw(std::string_view bytes);
  void on_screen_replaced();

  // The session has ended, with result.json. The socket's name goes at once; those still connected
  // are told what is queued and the result for kPartingMs at most. `on_parted`, when given, is
  // called from the loop after that and may destroy this.
  void on_end(std::string_view result_json, std::function<void()> on_parted = nullptr);

  size_t connections() const { return connections_.size(); }
  size_t queued_bytes() const;  // of all peers

 private:
  ControlSocket(loop::Loop& loop, ControlledSession& session, ListeningSocket listening);
  void on_connection(base::Fd socket);
  void on_shortage(int error);
  void on_done(const Connection& done, std::string_view why);
  void remove(const Connection& gone);
  std::vector<Connection*> idle_connections() const;  // the longest idle first
  bool make_room();
  bool admits_follower(Connection& newcomer);
  void note(std::string_view text);
  void broadcast(wire::FrameType type, std::string_view payload);
  void on_all_gone();

  loop::Loop& loop_;
  ControlledSession& session_;
  std::string path_;
  uint64_t told_offset_;      // events.jsonl up to here was told
  size_t message_bytes_ = 0;  // of messages that wait for the agent
  int notes_ = 0;             // lines in the log
  std::vector<std::unique_ptr<Connection>> connections_;
  std::unique_ptr<loop::Listener> listener_;  // outlives name_; both are empty once parting
  std::optional<SocketName> name_;
  loop::Timer parting_;
  std::function<void()> on_parted_;
};

}  // namespace orch::host
