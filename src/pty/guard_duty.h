#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pty/guardian.h"

// The guardian process itself.
namespace orch::pty {

// The messages from a host to its guardian: '+' and three texts, or '-' or '=' and one text; each
// text ends with a NUL.
std::string watch_message(const Guardian::Watched& run);
std::string release_message(std::string_view run);
std::string queue_message(std::string_view state_dir);

// Keeps the list of watched runs, from messages in pieces of any size. Pure.
class WatchList {
 public:
  void feed(std::string_view bytes);
  const std::map<std::string, Guardian::Watched>& runs() const { return runs_; }
  // The state directory; "": no session is queued.
  const std::string& queue() const { return queue_; }

 private:
  bool take_message();

  std::string pending_;
  std::map<std::string, Guardian::Watched> runs_;
  std::string queue_;
};

// What a dead host has left: the runs that were still watched, and the state directory of its
// queue.
struct Left {
  std::vector<Guardian::Watched> runs;
  std::string queue;
};

// Waits until the pipe ends, then ends every process of each run that is still watched: first
// SIGTERM, after 2 s SIGKILL, until two looks find none. It gives up after 8 s, because processes
// that the kernel itself holds cannot be killed. Then removes their control groups. Returns these
// runs, whose files still say that they run, and the queue, whose files still name the host.
// SIGHUP, SIGINT, SIGQUIT and SIGTERM are ignored from the start.
Left stand_guard(int pipe);

}  // namespace orch::pty
