#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pty/guardian.h"

// The guardian's own side.
namespace orch::pty {

// What a host tells its guardian: '+' and three texts, or '-' or '=' and one, each text ended by a
// NUL.
std::string watch_message(const Guardian::Watched& run);
std::string release_message(std::string_view run);
std::string queue_message(std::string_view state_dir);

// What is watched, from these messages in pieces of any size. Pure.
class WatchList {
 public:
  void feed(std::string_view bytes);
  const std::map<std::string, Guardian::Watched>& runs() const { return runs_; }
  const std::string& queue() const { return queue_; }  // the state directory; "": nobody waits

 private:
  bool take_message();

  std::string pending_;
  std::map<std::string, Guardian::Watched> runs_;
  std::string queue_;
};

// What a host that died has left: the runs that were still watched, and where its queue is.
struct Left {
  std::vector<Guardian::Watched> runs;
  std::string queue;
};

// Guards until the pipe ends, then ends every process of each run that is still watched: SIGTERM,
// SIGKILL for what lives 2 s later, until two looks find nothing (8 s at most: what the kernel
// itself holds cannot be killed), and removes their control groups. Returns these runs, whose files
// tell of a run that lives, and the queue, whose files tell of a host that does. SIGHUP, SIGINT,
// SIGQUIT and SIGTERM are ignored from the start.
Left stand_guard(int pipe);

}  // namespace orch::pty
