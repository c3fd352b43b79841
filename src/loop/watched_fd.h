#pragma once

#include <sys/types.h>

#include <functional>

#include "base/fd.h"
#include "loop/handle.h"

namespace orch::loop {

class Loop;

constexpr int kReadable = 1;
constexpr int kWritable = 2;

// A descriptor and the watch on it as one object, which closes both in the right order. A watch
// that outlives its descriptor would be left on a number that by then names another file, and its
// end would take that one out of the loop. So a descriptor that somebody else closes (libcurl's,
// the terminal's) is watched by a number of our own: see share().
//
// Tells when the descriptor can be read or written, again and again while that is so
// (level-triggered). The descriptor keeps its blocking mode. A regular file, which cannot be
// polled, is always ready. End of file, hang-up and errors are told as every event asked for: the
// read or write finds out which. Keeps Loop::run() running while started.
//
// Builds without NDEBUG stop the program where the number names another file than at the beginning:
// then somebody closed what was not theirs.
class WatchedFd {
 public:
  // Takes the descriptor over; one that is empty is never started.
  WatchedFd(Loop& loop, base::Fd fd);
  ~WatchedFd() { close(); }
  WatchedFd(const WatchedFd&) = delete;
  WatchedFd& operator=(const WatchedFd&) = delete;

  // Another number for the open file that is somebody else's to close; throws std::system_error
  // where the system has no descriptor left. For a moment the file is non-blocking, which whoever
  // shares it would notice: a watch on it is made once, and not for each time it is needed.
  static base::Fd share(int fd);

  int get() const { return fd_.get(); }
  bool valid() const { return fd_.valid(); }

  // events: kReadable, kWritable or both; on_ready gets those that hold. Replaces an earlier start.
  void start(int events, std::function<void(int ready)> on_ready);
  void stop();
  bool active() const;
  void close();  // the watch, then the descriptor; from then on it is empty

 private:
  struct File {  // which one the number names
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const File&) const = default;
  };
  static File file_at(int fd);
  void check_file() const;
  static void on_poll(uv_poll_s* handle, int status, int events) noexcept;
  static void on_idle(uv_idle_s* handle) noexcept;
  void arm();
  template <typename Handle>
  static void deliver(Handle* handle, int ready);

  base::Fd fd_;
  File file_;
  HandlePtr<uv_poll_s> poll_;
  HandlePtr<uv_idle_s> always_ready_;  // in place of poll_ for regular files
  int events_ = 0;
  std::function<void(int)> on_ready_;
};

}  // namespace orch::loop
