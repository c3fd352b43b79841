#pragma once

#include <sys/types.h>

#include <functional>

#include "base/fd.h"
#include "loop/handle.h"

namespace orch::loop {

class Loop;

constexpr int kReadable = 1;
constexpr int kWritable = 2;

// A descriptor together with the watch on it, which closes both in the right order. If a watch
// outlived its descriptor, the number could name another file by then, and the end of the watch
// would take that one out of the loop. So if somebody else closes a descriptor (libcurl, or the
// terminal's owner), a duplicate is watched: see share().
//
// Reports when the descriptor can be read or written, again and again while it can
// (level-triggered). The descriptor keeps its blocking mode. A regular file, which cannot be
// polled, is always ready. End of file, hang-up and errors are reported as all events that were
// asked for: the read or write finds out which. Keeps Loop::run() running while started.
//
// Builds without NDEBUG abort if the number names another file than at the beginning: then somebody
// has closed a descriptor that was not theirs.
class WatchedFd {
 public:
  // Takes ownership of the descriptor; with an empty one it must not be started.
  WatchedFd(Loop& loop, base::Fd fd);
  ~WatchedFd() { close(); }
  WatchedFd(const WatchedFd&) = delete;
  WatchedFd& operator=(const WatchedFd&) = delete;

  // Duplicates a descriptor that somebody else will close; throws std::system_error if the system
  // has no descriptor left. The constructor makes the open file non-blocking for a moment, which
  // others who share it would notice: so make this watch once, not each time it is needed.
  static base::Fd share(int fd);

  int get() const { return fd_.get(); }
  bool valid() const { return fd_.valid(); }

  // events: kReadable, kWritable or both; on_ready gets the ones that apply. Replaces an earlier
  // start.
  void start(int events, std::function<void(int ready)> on_ready);
  void stop();
  bool active() const;
  void close();  // the watch, then the descriptor; after that get() is invalid

 private:
  struct File {  // identifies the file that the number names
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
  HandlePtr<uv_idle_s> always_ready_;  // instead of poll_, for a regular file
  int events_ = 0;
  std::function<void(int)> on_ready_;
};

}  // namespace orch::loop
