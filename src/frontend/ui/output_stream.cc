#include "ui/output_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace orch::ui {
namespace {

// A pipe or socket that polls writable takes this much without blocking (pipe(7): PIPE_BUF).
constexpr size_t kChunk = 4096;
// One megabyte: sixteen times an agent's output in one turn of the loop, because JSON is longer
// than the bytes it describes and there may be several agents.
constexpr int kChunksPerWakeUp = 256;

// A terminal polls writable when it has room for one byte, and a longer write blocks. So does a
// write to a pipe that others also write to. Opened anew, the terminal or pipe does not block, and
// only for us: the mode belongs to the open file description, which others share.
base::Fd open_anew(int fd) {
  struct stat status {};
  const bool pipe = ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
  if (!pipe && ::isatty(fd) == 0) return loop::WatchedFd::share(fd);
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  base::Fd own(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return own.valid() ? std::move(own) : loop::WatchedFd::share(fd);
}

}  // namespace

OutputStream::OutputStream(loop::Loop& loop, int fd)
    : is_terminal_(::isatty(fd) != 0),
      loop_(loop),
      fd_(loop, open_anew(fd)),
      taken_at_ms_(loop.now_ms() - kStandsStillMs),
      patience_(loop) {}

void OutputStream::write(std::string bytes) {
  if (state_ == State::kClosed || bytes.empty()) return;
  waiting_bytes_ += bytes.size();
  // Short records are joined: a write and a poll for each line of a flood would cost more than
  // everything else.
  if (!queue_.empty() && queue_.back().size() + bytes.size() <= kChunk) {
    queue_.back() += bytes;
  } else {
    queue_.push_back(std::move(bytes));
  }
  watch();
  if (state_ == State::kFull || waiting_bytes_ <= kMostBehindBytes) return;
  if (waiting_bytes_ > kMostWaitingBytes || !stands_still()) on_full();
}

bool OutputStream::stands_still() const {
  return held_ || loop_.now_ms() - taken_at_ms_ >= kStandsStillMs;
}

void OutputStream::on_full() {
  state_ = State::kFull;
  be_patient();
  if (tell_full_) tell_full_();
}

void OutputStream::be_patient() {
  patience_.start(kStandsStillMs, [this] { on_patience_ended(); });
}

// While there is room, a reader that has stopped reading does not make the agents wait.
void OutputStream::on_patience_ended() {
  if (!stands_still()) return be_patient();
  if (waiting_bytes_ <= kMostWaitingBytes / 2) make_room();
}

void OutputStream::make_room() {
  patience_.stop();
  if (state_ == State::kFull) state_ = State::kRoom;
  if (tell_room_) tell_room_();
}

void OutputStream::watch() {
  if (!held_ && !fd_.active()) fd_.start(loop::kWritable, [this](int) { on_writable(); });
}

void OutputStream::watch_fill(std::function<void()> on_full, std::function<void()> on_room) {
  tell_full_ = std::move(on_full);
  tell_room_ = std::move(on_room);
}

void OutputStream::when_drained(std::function<void()> on_drained) {
  if (queue_.empty()) return on_drained();
  on_drained_.push_back(std::move(on_drained));
}

void OutputStream::flush() {
  while (takes_more() && write_chunk()) {
  }
}

void OutputStream::hold() {
  held_ = true;
  fd_.stop();
}

void OutputStream::release() {
  held_ = false;
  if (!queue_.empty()) watch();
}

void OutputStream::discard() {
  queue_.clear();
  offset_ = waiting_bytes_ = 0;
  on_drained_.clear();
  fd_.stop();
  if (state_ == State::kFull) make_room();
}

// Asks poll(2) before each chunk, because a second one might block.
bool OutputStream::takes_more() const {
  if (held_ || queue_.empty()) return false;
  pollfd ready{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
  return ::poll(&ready, 1, 0) > 0;
}

void OutputStream::on_writable() {
  int chunks = 1;
  while (write_chunk() && chunks < kChunksPerWakeUp && takes_more()) ++chunks;
}

// Writes one chunk. Returns false when the reader took nothing, or when nothing is left to write.
bool OutputStream::write_chunk() {
  const std::string& front = queue_.front();
  const size_t size = std::min(kChunk, front.size() - offset_);
  const ssize_t written = ::write(fd_.get(), front.data() + offset_, size);
  if (written < 0) {
    if (errno != EINTR && errno != EAGAIN) on_failed(errno);
    return false;
  }
  taken_at_ms_ = loop_.now_ms();
  if (state_ == State::kFull && !patience_.active()) be_patient();
  offset_ += static_cast<size_t>(written);
  waiting_bytes_ -= static_cast<size_t>(written);
  if (offset_ == front.size()) {
    queue_.pop_front();
    offset_ = 0;
  }
  if (state_ == State::kFull && waiting_bytes_ <= kMostBehindBytes / 2) make_room();
  if (!queue_.empty()) return true;
  fd_.stop();
  tell_drained();
  return false;
}

// A pipe or a socket without a reader, and a terminal that hung up, end the stream without
// reporting an error.
void OutputStream::on_failed(int error) {
  const bool was_full = state_ == State::kFull;
  const bool gone = error == EPIPE || error == ECONNRESET || (is_terminal_ && error == EIO);
  queue_.clear();
  offset_ = waiting_bytes_ = 0;
  state_ = State::kClosed;
  fd_.stop();
  if (was_full) make_room();
  if (!gone && tell_error_) tell_error_(error);
  tell_drained();
}

void OutputStream::tell_drained() {
  for (const auto& told : std::exchange(on_drained_, {})) told();
}

}  // namespace orch::ui
