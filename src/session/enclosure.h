#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pty/life_signs.h"

namespace orch::session {

// A place with files and processes of its own in which a run's agent works, and all that looks at
// what it did: a container. It is begun with the run's first process and belongs to that run. Its
// processes are run through a client on this machine, which no signal passes: the enclosure itself
// ends what is in it.
class Enclosure {
 public:
  virtual ~Enclosure() = default;

  enum class Talk : uint8_t { kTerminal, kPipes };
  // A process that is to run in there.
  struct Entry {
    std::string cwd;                         // of this machine; its place in there is where it runs
    std::map<std::string, std::string> env;  // what it gets beside what all processes have in there
    Talk talk = Talk::kPipes;
    std::string mark;  // letters, digits and '-': what end_marked() finds it by
  };
  // Makes the words and the environment of a process in there those of the client on this machine.
  // No value of a variable stands in the words.
  virtual void enter(const Entry& entry, std::vector<std::string>& argv,
                     std::vector<std::string>& env) const = 0;
  // Kills what an entry started and left. Does not wait for that.
  virtual void end_marked(const std::string& mark) = 0;
  // What the processes of this mark have used so far. `found` is called once, with nothing where
  // that cannot be told; never when the enclosure goes before.
  virtual void find_life_signs(const std::string& mark,
                               std::function<void(std::optional<pty::LifeSigns>)> found) = 0;
  // Ends everything that the run has in there, and removes the place if it is the run's own.
  // `on_closed` is called once, from the loop, after some 25 s at the latest; at once where
  // nothing was begun.
  virtual void close(std::function<void()> on_closed) = 0;

  virtual std::string_view kind() const = 0;     // "docker"
  virtual std::string_view network() const = 0;  // as its user named it
};

}  // namespace orch::session
