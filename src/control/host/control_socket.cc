#include "host/control_socket.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::host {
namespace {

using wire::FrameType;

// About the size of one read of a pty (pty::kReadBufferBytes): few frames, yet small enough to be
// dropped one by one.
constexpr size_t kRawFrameBytes = 64 << 10;

// Finding out whether a process belongs to a run costs a walk along its ancestors, so only a
// limited number of the idle connections is asked, the longest idle first.
constexpr size_t kMostAsked = 16;

// Lines in the log: peers could make a session write any number of them, and more say nothing new.
constexpr int kMostNotes = 50;

// Sent without waiting, if it fits into the socket's buffer, which is empty.
void tell_busy(const base::Fd& socket, size_t most) {
  const wire::Refusal busy{wire::RefusalCode::kBusy,
                           "too many connections; at most " + std::to_string(most) + " at a time"};
  const std::string frame = wire::encode(FrameType::kAnswer, wire::to_json(wire::Answer{0, busy}));
  [[maybe_unused]] const ssize_t sent =
      ::send(socket.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

ControlSocket::ControlSocket(loop::Loop& loop, peer::ListeningSocket listening,
                             ControlledSession& session, ConnectionRoom& room, Peers peers)
    : loop_(loop),
      session_(session),
      room_(room),
      peers_(peers),
      path_(listening.name.path()),
      told_offset_(session.events_size()),
      listener_(std::make_unique<loop::Listener>(
          loop, std::move(listening.socket),
          [this](base::Fd socket) { on_connection(std::move(socket)); },
          [this](int error) { on_shortage(error); })),
      name_(std::move(listening.name)),
      parting_(loop) {
  room_.add(this, {.connections = [this] { return connections_.size(); },
                   .close_one = [this] { return make_room(); }});
}

void ControlSocket::on_connection(base::Fd socket) {
  if (!admits(socket)) return;
  if (connections_.size() >= kMaxConnections) {
    note("all " + std::to_string(kMaxConnections) + " connections are in use");
    if (!make_room()) return tell_busy(socket, kMaxConnections);
  }
  if (room_.is_full()) {
    note("all " + std::to_string(room_.most()) + " connections of this host are in use");
    if (!room_.make_room()) return tell_busy(socket, room_.most());
  }
  Connection::Callbacks callbacks;
  callbacks.place = ConnectionRoom::Place(room_);
  callbacks.on_done = [this](const Connection& done, std::string_view why) { on_done(done, why); };
  callbacks.admits_follower = [this](Connection& newcomer) { return admits_follower(newcomer); };
  connections_.push_back(std::make_unique<Connection>(
      loop_, std::move(socket), session_, message_bytes_, std::move(callbacks), peers_));
  if (!has_part(*connections_.back())) connections_.back()->refuse_and_close();
}

// Programs other than orch, and processes of a run, get a limited part of the connections each: the
// rest is for the user's own commands.
bool ControlSocket::has_part(Connection& newcomer) {
  const auto keeps_to = [this](size_t most, const std::function<bool(Connection&)>& is_one) {
    std::vector<Connection*> idle;
    size_t all = 0;
    for (const auto& one : connections_) {
      if (!is_one(*one)) continue;
      ++all;
      if (one != connections_.back() && one->idle()) idle.push_back(one.get());
    }
    return all <= most || close_one(idle);
  };
  if (!newcomer.is_orch()) {
    return keeps_to(kMaxOfOthers, [](Connection& one) { return !one.is_orch(); });
  }
  // To find out about a run is costly, so it is asked only where it may be too many.
  if (connections_.size() <= kMaxOfRun || !newcomer.belongs_to_run()) return true;
  return keeps_to(kMaxOfRun, [](Connection& one) { return one.belongs_to_run(); });
}

bool ControlSocket::admits(const base::Fd& socket) const {
  if (peers_ == Peers::kOurs) return peer::our_peer(socket).has_value();
  const std::optional<pid_t> peer = peer::any_peer(socket);
  return peer && session_.encloses(*peer);
}

// The peer that cannot be accepted waits in the backlog; the connection that is closed frees a
// descriptor for it.
void ControlSocket::on_shortage(int error) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  note(base::system_error("no connection can be accepted", error).text + " (of " +
       std::to_string(files.rlim_cur) + ")");
  const std::vector<Connection*> idle = idle_connections();
  if (idle.empty()) {
    room_.make_room();
    return;
  }
  // Whether the peer belongs to a run is not asked: that takes a descriptor, too.
  const auto others =
      std::find_if(idle.begin(), idle.end(), [](auto* one) { return !one->is_orch(); });
  remove(others != idle.end() ? **others : *idle.front());
}

void ControlSocket::on_done(const Connection& done, std::string_view why) {
  if (!why.empty()) note("a peer is done with: " + std::string(why));
  remove(done);
  if (connections_.empty() && !name_) on_all_gone();
}

// If the connection was a viewer's, its end changes the size of the screen, and the other
// connections are notified. So it is taken out of the list before it is destroyed.
void ControlSocket::remove(const Connection& gone) {
  const auto found = std::find_if(connections_.begin(), connections_.end(),
                                  [&gone](const auto& each) { return each.get() == &gone; });
  if (found == connections_.end()) return;
  const std::unique_ptr<Connection> last_hold = std::move(*found);
  connections_.erase(found);
}

std::vector<Connection*> ControlSocket::idle_connections() const {
  std::vector<Connection*> idle;
  for (const auto& connection : connections_) {
    if (connection->idle()) idle.push_back(connection.get());
  }
  std::sort(idle.begin(), idle.end(), [](const Connection* a, const Connection* b) {
    return a->served_at_us() < b->served_at_us();
  });
  return idle;
}

// Closes one of these connections; false if there is none.
bool ControlSocket::close_one(const std::vector<Connection*>& idle) {
  if (idle.empty()) return false;
  const auto other =
      std::find_if(idle.begin(), idle.end(), [](Connection* one) { return !one->is_orch(); });
  if (other != idle.end()) {
    remove(**other);
    return true;
  }
  const auto asked = idle.begin() + static_cast<std::ptrdiff_t>(std::min(idle.size(), kMostAsked));
  const auto of_run =
      std::find_if(idle.begin(), asked, [](Connection* one) { return one->belongs_to_run(); });
  remove(of_run != asked ? **of_run : *idle.front());
  return true;
}

// Where nobody is idle, other programs than orch give way all the same, and processes of a run that
// only follow.
bool ControlSocket::make_room() {
  if (close_one(idle_connections())) return true;
  size_t asked = 0;
  const auto gives_way = [&asked](const std::unique_ptr<Connection>& one) {
    if (!one->is_orch()) return true;
    return one->follows() && ++asked <= kMostAsked && one->belongs_to_run();
  };
  const auto found = std::find_if(connections_.begin(), connections_.end(), gives_way);
  if (found == connections_.end()) return false;
  remove(**found);
  return true;
}

bool ControlSocket::admits_follower(Connection& newcomer) {
  const auto followers = std::count_if(connections_.begin(), connections_.end(),
                                       [](const auto& one) { return one->follows(); });
  if (static_cast<size_t>(followers) < kMaxFollowers) return true;
  note("all " + std::to_string(kMaxFollowers) + " followers are there");
  if (newcomer.belongs_to_run()) return false;
  const auto of_run = std::find_if(connections_.begin(), connections_.end(), [](const auto& one) {
    return one->follows() && one->belongs_to_run();
  });
  if (of_run == connections_.end()) return false;
  remove(**of_run);
  return true;
}

void ControlSocket::note(std::string_view text) {
  if (++notes_ > kMostNotes) return;
  const std::string_view last = notes_ == kMostNotes ? "; more of such is not noted" : "";
  base::log_warn("socket", std::string(text).append(last), session_.status().run);
}

void ControlSocket::on_event(std::string_view json) {
  broadcast(FrameType::kEvent, json);
  told_offset_ = session_.events_size();
}

void ControlSocket::on_raw(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kRawFrameBytes))) {
    broadcast(FrameType::kRaw, bytes.substr(0, kRawFrameBytes));
  }
}

void ControlSocket::on_screen_replaced() {
  for (const auto& connection : connections_) connection->on_screen_replaced();
}

void ControlSocket::broadcast(FrameType type, std::string_view payload) {
  const bool sendable = payload.size() <= wire::kMaxPayloadBytes;
  std::string frame;  // encoded once, when the first connection wants it
  for (const auto& connection : connections_) {
    if (!connection->wants(type)) continue;
    if (!sendable) {
      connection->miss(told_offset_);
      continue;
    }
    if (frame.empty()) frame = wire::encode(type, payload);
    connection->offer(frame, told_offset_);
  }
}

void ControlSocket::on_end(std::string_view result_json, std::function<void()> on_parted) {
  on_parted_ = std::move(on_parted);
  name_.reset();  // the name has to go before the socket is closed
  listener_.reset();
  const bool sendable = result_json.size() <= wire::kMaxPayloadBytes;
  const std::string last = wire::encode(FrameType::kEnd, sendable ? result_json : "{}");
  for (const auto& connection : connections_) connection->part(last);
  parting_.start(connections_.empty() ? 0 : kPartingMs, [this] { on_all_gone(); });
}

void ControlSocket::on_all_gone() {
  parting_.stop();
  connections_.clear();
  const auto on_parted = std::exchange(on_parted_, nullptr);
  if (on_parted) on_parted();
}

size_t ControlSocket::queued_bytes() const {
  size_t bytes = 0;
  for (const auto& connection : connections_) bytes += connection->queued_bytes();
  return bytes;
}

}  // namespace orch::host
