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

// What a driver cannot see in the agent's output.
struct Surroundings {
  bool keyboard_held = false;  // a person types: nothing of orch's own may be typed meanwhile
  bool attended = false;       // a person is there who could answer what the agent asks
  bool canonical = false;      // the terminal gathers lines (ICANON), and cuts long ones
};

// What a process of the agent is started with, beside what every one of its processes gets.
struct Launch {
  std::vector<std::string> resume;  // words that continue an earlier conversation
  std::string input;                // on its standard input
  bool more_input = false;          // more may follow; else its input ends there
};

// How one talks to an agent: the agent's output and the time go in, news and bytes to write come
// out. It is the only code that knows what the agent draws and which keys it takes, or which JSON
// lines it speaks. Pure: it owns no descriptor and no clock; times are the caller's milliseconds
// and never go back. After any call the owner takes what is there: writes, then news.
class Driver {
 public:
  virtual ~Driver() = default;

  // The agent's output, after what was due before `now`. Returns what the agent must be answered at
  // once, as a terminal would: it is no typing.
  virtual std::string on_output(TimeMs now, std::string_view bytes) = 0;
  virtual void on_typed(TimeMs now, std::string_view bytes) = 0;  // by a person; already written
  virtual void on_resize(TimeMs now, int cols, int rows) = 0;
  virtual void on_notice(TimeMs now, std::string_view text) = 0;  // from one of the agent's hooks
  virtual void on_surroundings(TimeMs now, Surroundings surroundings) = 0;
  virtual void on_stopping(TimeMs now) = 0;  // what the agent says from here on is only its leaving
  virtual void on_exit(TimeMs now) = 0;      // the last call; news follow
  virtual TimeMs next_deadline() const = 0;  // kNever: nothing to do until something happens
  virtual void on_timer(TimeMs now) = 0;     // when that has come; earlier does no harm
  virtual void command(TimeMs now, const agent::Command& command) = 0;

  // Of an agent without a terminal, which has a process only while one is needed: the process that
  // is wanted now, and what becomes of it. The one before, if it still lives, is to be ended.
  virtual std::optional<Launch> take_launch() { return std::nullopt; }
  virtual void on_error_output(TimeMs /*now*/, std::string_view /*bytes*/) {}
  // Whether the agent goes on without a process, until it needs another one. If not, it has ended.
  virtual bool on_process_end(TimeMs /*now*/, int /*code*/, int /*signal*/) { return false; }
  // The agent's own name for its conversation, by which it can be continued; "" while unknown.
  virtual std::string conversation() const { return ""; }

  virtual std::vector<agent::News> take_news() = 0;
  virtual std::vector<std::string> take_writes() = 0;  // in this order, each as one write

  virtual event::AgentStatus status() const = 0;  // confirmed, as the news told it
  virtual event::Cause cause() const = 0;
  virtual TimeMs since() const = 0;        // when the agent took this status
  virtual TimeMs last_output() const = 0;  // of the agent
  // A message or a command is being typed: nobody else may type now.
  virtual bool holds_keyboard() const = 0;
  virtual std::string quit_bytes() const = 0;  // that ask the agent to end; "" when there are none
  virtual std::string text() const = 0;        // what a person would see of the agent now, as rows
  // The screen that a person can be shown; null for an agent without one. It lives as long as this.
  virtual const term::Screen* screen() const = 0;
};

}  // namespace orch::driver
