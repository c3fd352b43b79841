#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/find.h"
#include "client/session_watch.h"
#include "loop/child_watch.h"
#include "loop/fd_watch.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "ui/output_stream.h"
#include "ui/painter.h"
#include "ui/terminal_input.h"
#include "ui/top_model.h"
#include "ui/user_terminal.h"

namespace orch::cli {

// `orch top` at a terminal: takes keys to a TopModel, draws it, and does what it wants done. While
// somebody is attached to a session the terminal is that command's.
class Top {
 public:
  struct Plan {
    client::Place place;
    bool here = false;  // the sessions of this repository alone
    ui::Ink ink = ui::Ink::kColors;
    std::function<std::vector<std::string>(const std::string& key)> attach;  // its command line
  };
  explicit Top(Plan plan);

  int run();  // the exit code: 0, or 128 and the signal that ended it

 private:
  bool take_terminal();
  void leave_terminal();
  void watch_signals();
  void on_stop_signal(int signum);
  void suspend();
  void end(int code);

  void on_keys();
  void take_inputs(const std::vector<ui::TerminalInput>& inputs);
  void act(const ui::TopAction& action);
  void attach(const std::string& key);
  void on_attach_ended();
  void answer(const ui::top::Answer& wanted);
  void kill(const std::string& key);

  void on_sessions();
  void say(const std::string& message);
  void draw();

  Plan plan_;
  ui::UserTerminal terminal_;
  loop::Loop loop_;
  ui::OutputStream out_;
  loop::FdWatch keys_;
  loop::Timer escape_timer_, retry_timer_, end_timer_;
  client::SessionWatch watch_;
  ui::TopModel model_;
  ui::Painter painter_;
  ui::InputReader reader_;
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  std::unique_ptr<loop::SignalWatch> suspended_;  // SIGTSTP, while it is not what stops us
  std::unique_ptr<loop::ChildWatch> child_watch_;
  pid_t child_ = 0;     // who has the terminal; 0: we
  bool taken_ = false;  // it is ours now
  bool draws_ = false;  // what was drawn is not taken yet
  int code_ = 0;
};

}  // namespace orch::cli
