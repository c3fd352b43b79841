#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pty/life_signs.h"

namespace orch::session {

// A container: it has its own files and processes, and a run's agent and gates work in it. It
// begins with the run's first process and belongs to that run. Its processes are started through a
// client on this machine. Signals to the client do not reach them, so the enclosure itself has to
// end them.
class Enclosure {
 public:
  virtual ~Enclosure() = default;

  enum class Talk : uint8_t { kTerminal, kPipes };
  // A process that is to run in the enclosure.
  struct Entry {
    std::string cwd;  // a folder of this machine; the process runs where it is in there
    std::map<std::string, std::string> env;  // its variables, added to the container's own
    Talk talk = Talk::kPipes;
    std::string mark;  // letters, digits and '-'; for end_marked()
  };
  // Replaces the command line and environment of a process in there by those of the client that
  // starts it. No value of a variable becomes part of the command line.
  virtual void enter(const Entry& entry, std::vector<std::string>& argv,
                     std::vector<std::string>& env) const = 0;
  // Kills the processes that the entry with this mark has started and left. Does not wait for their
  // end.
  virtual void end_marked(const std::string& mark) = 0;
  // Finds how much the processes with this mark have used so far. `found` is called once, with
  // nullopt if that is unknown; it is not called if the enclosure is destroyed before.
  virtual void find_life_signs(const std::string& mark,
                               std::function<void(std::optional<pty::LifeSigns>)> found) = 0;
  // Ends all processes of the run in the container, and removes the container if it is the run's
  // own. `on_closed` is called once, from the loop, after some 25 s at the latest; at once if
  // nothing was begun.
  virtual void close(std::function<void()> on_closed) = 0;

  // Makes a folder of this machine visible in the container, and this orch, so that the agent's
  // hooks can run it; processes in the container can change neither. The container's id is kept in
  // the file `id_file`. To be called before the first enter().
  struct Shown {
    std::string folder;                // the folder's path in there
    std::vector<std::string> program;  // the words that run this orch in there
  };
  virtual Shown show(const std::string& folder, const std::string& id_file) = 0;
  // Whether the process, a pid of this machine, is in there; false before show().
  virtual bool holds(pid_t pid) const = 0;

  virtual std::string_view kind() const = 0;     // "docker"
  virtual std::string_view network() const = 0;  // as the user named it
};

}  // namespace orch::session
