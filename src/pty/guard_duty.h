#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pty/guardian.h"

// The guardian's own side.
namespace orch::pty {

// What a host tells its guardian: '+' and three texts, or '-' and one, each text ended by a NUL.
std::string watch_message(const Guardian::Watched& run);
std::string release_message(std::string_view run);

// The runs that are watched, from these messages in pieces of any size. Pure.
class WatchList {
 public:
  void feed(std::string_view bytes);
  const std::map<std::string, Guardian::Watched>& runs() const { return runs_; }

 private:
  bool take_message();

  std::string pending_;
  std::map<std::string, Guardian::Watched> runs_;
};

// Guards until the pipe ends, then ends every process of each run that is still watched: SIGTERM,
// SIGKILL for what lives 2 s later, until two looks find nothing (8 s at most: what the kernel
// itself holds cannot be killed), and removes their control groups. Returns these runs, whose files
// tell of a run that lives. SIGHUP, SIGINT, SIGQUIT and SIGTERM are ignored from the start.
std::vector<Guardian::Watched> stand_guard(int pipe);

}  // namespace orch::pty
