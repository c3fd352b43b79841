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

// Receives the events of a source's agent. Calls come from the loop, never from inside a call to
// the source; each of them may destroy the source.
class SourceObserver {
 public:
  virtual ~SourceObserver() = default;
  virtual void on_output(std::string_view bytes) = 0;  // valid during the call
  virtual void on_end(pty::ExitStatus status) = 0;     // the agent has ended; the last call
  // Output of an agent without a terminal to its standard error.
  virtual void on_error_output(std::string_view /*bytes*/) {}
  // The place where the agent runs (a multiplexer's pane) was resized or taken away by somebody
  // else. When it is lost, nothing more can come from the agent: the observer has to stop it.
  virtual void on_resized(int /*cols*/, int /*rows*/) {}
  virtual void on_lost(const std::string& /*why*/) {}
};

// The fate of the place where an agent ran, such as a multiplexer's pane.
enum class Parting : uint8_t {
  kRemove,
  kKeep,  // it stays to be looked at, as far as it can
};

// The steps that end an agent: the bytes that make it quit are written and given `quit_ms` (skipped
// if empty), then comes SIGTERM with `term_ms`, then SIGKILL.
struct StopOrder {
  std::string quit_bytes;
  int64_t quit_ms = 0;
  int64_t term_ms = pty::StopTimes{}.term_ms;
};

// Where an agent runs: on a pty of orch's own, or on anything else that can carry its bytes (a pane
// of a multiplexer, a container, a pair of pipes). It moves bytes and ends the agent, but does not
// interpret the bytes. A source that joins a running agent begins with output that draws the
// present screen.
class Source {
 public:
  virtual ~Source() = default;

  virtual void write(std::string bytes) = 0;  // never blocks; bytes that cannot be written yet are
                                              // queued
  virtual void finish_writing() {}            // without a terminal: closes the agent's input
  virtual void resize(int cols, int rows) = 0;
  // While paused no output is delivered, so that the agent has to wait; neither is its end.
  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void stop(StopOrder order) = 0;  // on_end() follows; a second call kills at once
  // Called after on_end(); if it is not called, the place is removed.
  virtual void part(Parting /*parting*/) {}

  // Known to some sources only. pid(): 0 if the agent has no process on this machine, or none any
  // more.
  virtual pid_t pid() const { return 0; }
  // canonical(): the line discipline collects lines (ICANON), and cuts long ones. asks_secret(): it
  // also does not echo input.
  virtual bool canonical() const { return false; }
  virtual bool asks_secret() const { return false; }
  // Bytes that were written and that the agent's terminal has not taken yet.
  virtual size_t unwritten_bytes() const { return 0; }
  // Somebody else decides the size of the place, so resize() has no effect.
  virtual bool decides_size() const { return false; }
  // A terminal between orch and the agent answers the agent's queries, so orch does not.
  virtual bool answers_queries() const { return false; }
};

// Starts an agent as the plan says. The observer outlives the source.
using SourceFactory = std::function<base::Result<std::unique_ptr<Source>>(
    loop::Loop& loop, const pty::SpawnPlan& plan, SourceObserver& observer)>;

}  // namespace orch::session
