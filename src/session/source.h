#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "pty/child.h"
#include "pty/pty.h"

namespace orch::loop {
class Loop;
}

namespace orch::session {

// Told what a source's agent does. Calls come from the loop, never from inside a call to the
// source; each may destroy the source.
class SourceObserver {
 public:
  virtual ~SourceObserver() = default;
  virtual void on_output(std::string_view bytes) = 0;  // valid during the call
  virtual void on_end(pty::ExitStatus status) = 0;     // the last call
  // Of an agent without a terminal: what it writes to its standard error.
  virtual void on_error_output(std::string_view /*bytes*/) {}
  // Others have hands on the place where the agent runs, too: they have given it another size, or
  // taken it away. From an agent without a place nothing more can come: the observer is to stop it.
  virtual void on_resized(int /*cols*/, int /*rows*/) {}
  virtual void on_lost(const std::string& /*why*/) {}
};

// What becomes of the place where an agent ran.
enum class Parting : uint8_t {
  kRemove,
  kKeep,  // to be looked at, as far as it can be
};

// How an agent is to be ended, a step after the other: what it takes for a wish to quit is written
// and granted `quit_ms` (skipped if it is empty), then SIGTERM and `term_ms`, then SIGKILL.
struct StopOrder {
  std::string quit_bytes;
  int64_t quit_ms = 0;
  int64_t term_ms = pty::StopTimes{}.term_ms;
};

// Where an agent runs: a pseudo-terminal of our own, and whatever else can carry its bytes (a pane
// of a multiplexer, a container, a pair of pipes). It moves bytes and ends the agent; it knows
// nothing of what they mean. A source that joins an agent late begins with output that draws what
// stands there.
class Source {
 public:
  virtual ~Source() = default;

  virtual void write(
      std::string bytes) = 0;       // never blocks: what is not taken now follows in order
  virtual void finish_writing() {}  // without a terminal: the agent reads the end of its input
  virtual void resize(int cols, int rows) = 0;
  // While paused no output comes, so that the agent waits; its end waits, too.
  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void stop(StopOrder order) = 0;  // on_end follows; a second call kills at once
  // After on_end; without it the place is removed.
  virtual void part(Parting /*parting*/) {}

  // What not every source can tell. 0: the agent has no process of this machine, or none any more.
  virtual pid_t pid() const { return 0; }
  // The line discipline gathers lines (ICANON) and cuts long ones; it shows none of what is typed.
  virtual bool canonical() const { return false; }
  virtual bool asks_secret() const { return false; }
  // Written, and not yet taken by the agent's terminal.
  virtual size_t unwritten_bytes() const { return 0; }
  // The place has its size from somebody else: who resizes it changes nothing.
  virtual bool decides_size() const { return false; }
  // A terminal stands between us and the agent, and answers its queries.
  virtual bool answers_queries() const { return false; }
};

// Starts an agent as the plan says. The observer outlives the source.
using SourceFactory = std::function<base::Result<std::unique_ptr<Source>>(
    loop::Loop& loop, const pty::SpawnPlan& plan, SourceObserver& observer)>;

}  // namespace orch::session
