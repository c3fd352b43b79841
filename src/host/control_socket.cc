#include "host/control_socket.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "wire/frame.h"
#include "wire/message.h"

namespace orch::host {
namespace {

using wire::FrameType;

// One wake-up's worth of a pty (pty::kReadBufferBytes): few frames, and small enough to be dropped
// one by one.
constexpr size_t kRawFrameBytes = 64 << 10;

// Nobody waits for this: it is sent if it fits into the socket, which is empty.
void tell_busy(const base::Fd& socket) {
  const wire::Refusal busy{
      wire::RefusalCode::kBusy,
      "too many connections; at most " + std::to_string(kMaxConnections) + " at a time"};
  const std::string frame = wire::encode(FrameType::kAnswer, wire::to_json(wire::Answer{0, busy}));
  [[maybe_unused]] const ssize_t sent =
      ::send(socket.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

base::Result<std::unique_ptr<ControlSocket>> ControlSocket::open(loop::Loop& loop,
                                                                 const std::string& folder,
                                                                 const std::string& key,
                                                                 ControlledSession& session) {
  base::Result<ListeningSocket> listening = listen_on(folder, key);
  if (!listening) return listening.error();
  return std::unique_ptr<ControlSocket>(
      new ControlSocket(loop, session, std::move(listening).value()));
}

ControlSocket::ControlSocket(loop::Loop& loop, ControlledSession& session,
                             ListeningSocket listening)
    : loop_(loop),
      session_(session),
      path_(listening.name.path()),
      told_offset_(session.events_size()),
      listener_(std::make_unique<loop::Listener>(
          loop, std::move(listening.socket),
          [this](base::Fd socket) { on_connection(std::move(socket)); })),
      name_(std::move(listening.name)),
      parting_(loop) {}

void ControlSocket::on_connection(base::Fd socket) {
  if (!our_peer(socket)) return;
  if (connections_.size() >= kMaxConnections) return tell_busy(socket);
  connections_.push_back(std::make_unique<Connection>(
      loop_, std::move(socket), session_, [this](const Connection& done) { remove(done); }));
}

void ControlSocket::remove(const Connection& done) {
  std::erase_if(connections_, [&done](const auto& each) { return each.get() == &done; });
  if (connections_.empty() && !name_) on_all_gone();
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

void ControlSocket::broadcast(FrameType type, std::string_view payload) {
  const bool sendable = payload.size() <= wire::kMaxPayloadBytes;
  std::string frame;  // made once, when somebody wants it
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
  name_.reset();  // before its socket is closed
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
