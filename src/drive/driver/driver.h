#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/command.h"
#include "agent/news.h"
#include "base/time.h"
#include "event/status.h"

namespace orch::term {
class Screen;
}

namespace orch::driver {

using base::TimeMs;

// Facts around the agent that its output does not show.
struct Surroundings {
  bool keyboard_held = false;  // a user types, so orch itself must not type
  bool attended = false;       // a user who could answer the agent's dialogs is there
  bool canonical = false;      // the tty reads whole lines (ICANON) and cuts long ones
  bool resizable = false;      // nobody else decides or looks at the size of the terminal
};

// The start of one process of a headless agent: its additions to the launch plan that all of them
// share.
struct Launch {
  std::vector<std::string> resume;  // arguments that continue an earlier conversation
  std::string input;                // the bytes for its standard input
  bool more_input = false;          // standard input stays open after them
};

// Talks to one agent: the agent's output and the time go in, news and bytes to write come out. Only
// the drivers know how an agent draws and which keys it takes, or which JSON lines it speaks. A
// driver does no I/O: it owns no file descriptor and no clock. Times are the caller's milliseconds
// and never go back. After each call the owner takes the writes and then the news.
class Driver {
 public:
  virtual ~Driver() = default;

  // Takes output of the agent; anything that was due before `now` is done first. Returns the
  // terminal's replies to queries in the output. They must be written at once and are not counted
  // as typing.
  virtual std::string on_output(TimeMs now, std::string_view bytes) = 0;
  virtual void on_typed(TimeMs now, std::string_view bytes) = 0;  // by a user; already written
  virtual void on_resize(TimeMs now, int cols, int rows) = 0;
  virtual void on_notice(TimeMs now, std::string_view text) = 0;  // from one of the agent's hooks
  virtual void on_surroundings(TimeMs now, Surroundings surroundings) = 0;
  // The agent is being stopped: its output from now on is not part of the transcript.
  virtual void on_stopping(TimeMs now) = 0;
  virtual void on_exit(TimeMs now) = 0;      // the last call; the owner takes the news after it
  virtual TimeMs next_deadline() const = 0;  // kNever: nothing to do until something happens
  virtual void on_timer(TimeMs now) = 0;     // at next_deadline(); an earlier call does no harm
  virtual void command(TimeMs now, const agent::Command& command) = 0;

  // A headless agent has a process only while it needs one. This returns the process that must be
  // started now, once. If an earlier process still lives, the owner ends it.
  virtual std::optional<Launch> take_launch() { return std::nullopt; }
  virtual void on_error_output(TimeMs /*now*/, std::string_view /*bytes*/) {}
  // The process has ended. Returns true if the agent goes on without one until it needs another,
  // and false if the agent has ended.
  virtual bool on_process_end(TimeMs /*now*/, int /*code*/, int /*signal*/) { return false; }
  // The agent's own id for its conversation, for continuing it; "" while unknown.
  virtual std::string conversation() const { return ""; }

  virtual std::vector<agent::News> take_news() = 0;
  virtual std::vector<std::string> take_writes() = 0;  // each is one write, in this order

  virtual event::AgentStatus status() const = 0;  // the confirmed status, as in the news
  virtual event::Cause cause() const = 0;
  virtual TimeMs since() const = 0;        // when the status last changed
  virtual TimeMs last_output() const = 0;  // when the agent last wrote output
  // Whether the driver is typing a message or a command, so that nobody else may type now.
  virtual bool holds_keyboard() const = 0;
  // How many rows the terminal should have for now, so that the agent draws all of a dialog;
  // nullopt: as many as it has by itself.
  virtual std::optional<int> wanted_rows() const { return std::nullopt; }
  virtual std::string quit_bytes() const = 0;  // the keys that ask the agent to quit, if any
  virtual std::string text() const = 0;        // the agent's visible text now, as rows
  // The agent's screen; null for an agent without one. The driver owns it.
  virtual const term::Screen* screen() const = 0;
};

}  // namespace orch::driver
