#include "loop/stream.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace orch::loop {
namespace {

constexpr size_t kReadBytes = 64 << 10;
// Small writes of one turn are sent together at its end; a queue of this size is sent at once.
constexpr size_t kSendAtOnceBytes = 16 << 10;
constexpr size_t kChunksPerSend = 64;

}  // namespace

Stream::Stream(Loop& loop, base::Fd socket, Callbacks callbacks)
    : socket_(loop, std::move(socket)), callbacks_(std::move(callbacks)) {
  ORCH_CHECK((::fcntl(socket_.get(), F_GETFL) & O_NONBLOCK) != 0);
  watch();
}

void Stream::write(std::string bytes) { push({std::move(bytes), std::nullopt}); }

void Stream::write_droppable(std::string bytes, uint64_t mark) { push({std::move(bytes), mark}); }

void Stream::push(Chunk chunk) {
  const bool taken = writing_ != Writing::kBroken && writing_ != Writing::kClosed;
  if (!taken || chunk.bytes.empty()) return;
  queued_bytes_ += chunk.bytes.size();
  queue_.push_back(std::move(chunk));
  if (writing_ == Writing::kIdle) {
    writing_ = Writing::kDue;
    watch();
  }
  if (writing_ == Writing::kDue && queued_bytes_ >= kSendAtOnceBytes) send_queued();
}

std::vector<Stream::Dropped> Stream::drop_unstarted() {
  std::vector<Dropped> dropped;
  std::deque<Chunk> kept;
  for (Chunk& chunk : queue_) {
    const bool begun = kept.empty() && dropped.empty() && first_sent_ > 0;
    if (begun || !chunk.mark) {
      kept.push_back(std::move(chunk));
    } else {
      queued_bytes_ -= chunk.bytes.size();
      dropped.push_back({std::move(chunk.bytes), *chunk.mark});
    }
  }
  queue_ = std::move(kept);
  if (writing_ == Writing::kIdle) {  // so that on_drained is called in any case
    writing_ = Writing::kDue;
    watch();
  }
  return dropped;
}

void Stream::finish_writing() {
  finishing_ = true;
  if (queue_.empty()) ::shutdown(socket_.get(), SHUT_WR);
}

void Stream::pause_reading() {
  reading_ = false;
  watch();
}

void Stream::resume_reading() {
  if (reading_) return;
  reading_ = true;
  watch();
}

void Stream::watch() {
  if (writing_ == Writing::kClosed) return;
  const bool write =
      writing_ == Writing::kBroken ? reading_ || !break_told_ : writing_ != Writing::kIdle;
  const int events = (reading_ ? kReadable : 0) | (write ? kWritable : 0);
  if (events == 0) return socket_.stop();
  socket_.start(events, [this](int ready) { on_ready(ready); });
}

// Sends as much as the system takes now.
void Stream::send_queued() {
  while (!queue_.empty() && send_some()) {
  }
}

// False if the system takes no more.
bool Stream::send_some() {
  std::array<iovec, kChunksPerSend> pieces;
  size_t count = 0;
  for (Chunk& chunk : queue_) {
    if (count == pieces.size()) break;
    const size_t sent = count == 0 ? first_sent_ : 0;
    pieces[count++] = {chunk.bytes.data() + sent, chunk.bytes.size() - sent};
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) {
    take_sent(static_cast<size_t>(sent));
    return true;
  }
  if (errno == EINTR) return true;
  if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) {
    writing_ = Writing::kBlocked;
    return false;
  }
  queue_.clear();
  queued_bytes_ = first_sent_ = 0;
  writing_ = Writing::kBroken;
  watch();
  return false;
}

void Stream::take_sent(size_t count) {
  queued_bytes_ -= count;
  first_sent_ += count;
  while (!queue_.empty() && first_sent_ >= queue_.front().bytes.size()) {
    first_sent_ -= queue_.front().bytes.size();
    queue_.pop_front();
  }
  if (finishing_ && queue_.empty()) ::shutdown(socket_.get(), SHUT_WR);
}

void Stream::on_ready(int ready) {
  const Life::Watch self(life_);
  if ((ready & kWritable) != 0) on_writable();
  if (self.ended()) return;
  if (reading_ && ((ready & kReadable) != 0 || writing_ == Writing::kBroken)) on_readable();
}

void Stream::on_writable() {
  if (writing_ != Writing::kBroken) {
    writing_ = Writing::kDue;
    send_queued();
    if (writing_ == Writing::kBlocked) return;
  }
  if (writing_ == Writing::kBroken) {
    if (std::exchange(break_told_, true)) return;
  } else {
    writing_ = Writing::kIdle;
  }
  watch();
  const auto on_drained = callbacks_.on_drained;  // a copy, because the call may destroy ours
  if (on_drained) on_drained();
}

void Stream::on_readable() {
  std::array<char, kReadBytes> buffer;
  const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count > 0) {
    const auto on_data = callbacks_.on_data;
    on_data({buffer.data(), static_cast<size_t>(count)});
    return;
  }
  const bool nothing_now = count < 0 && (errno == EAGAIN || errno == EINTR);
  if (nothing_now && writing_ != Writing::kBroken) return;
  writing_ = Writing::kClosed;
  socket_.stop();
  const auto on_closed = callbacks_.on_closed;
  on_closed();
}

}  // namespace orch::loop
