#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "loop/child_watch.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "ui/canvas.h"
#include "ui/output_stream.h"
#include "ui/painter.h"
#include "ui/terminal_input.h"
#include "ui/user_terminal.h"

namespace orch::cli {

// What a FullScreen shows, and who its keys are for. Called from the loop.
class Show {
 public:
  virtual ~Show() = default;
  virtual void draw(ui::Canvas& canvas) = 0;  // which is blank, and of the terminal's size
  virtual void on_input(const ui::TerminalInput& input) = 0;
  // The command that had the terminal is over; `trouble` is "" when it went well, else
  // what became of it: "ended with 1".
  virtual void on_command_ended(const std::string& trouble) = 0;
};

// The whole of the terminal, for a program that draws on it and takes its keys, and now and then
// gives it to another command. It steps back when the program is suspended or in the background,
// and leaves the terminal as it was found. The terminal must be ours (UserTerminal::is_ours()).
class FullScreen {
 public:
  FullScreen(ui::Ink ink, Show& show);

  loop::Loop& loop() { return loop_; }
  void start();        // takes the terminal, if it can be had now, and draws
  int run();           // until end(); the exit code: 0, or 128 and the signal that ended it
  void end(int code);  // what was typed behind it is not for us
  void suspend();      // as by Ctrl-Z
  void forget();       // what is on the terminal is not known any more
  void draw();         // if it is ours now, and only what has changed
  void run_command(const std::vector<std::string>& words);

 private:
  bool take_terminal();
  void leave_terminal();
  void watch_signals();
  void on_stop_signal(int signum);
  void on_keys();
  void take_inputs(const std::vector<ui::TerminalInput>& inputs);
  void on_command_ended();

  Show& show_;
  ui::UserTerminal terminal_;
  loop::Loop loop_;
  ui::OutputStream out_;
  loop::WatchedFd keys_;
  loop::Timer escape_timer_, retry_timer_, end_timer_;
  ui::Painter painter_;
  ui::InputReader reader_;
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  std::unique_ptr<loop::SignalWatch> suspended_;  // SIGTSTP, while it is not what stops us
  std::unique_ptr<loop::ChildWatch> child_watch_;
  pid_t child_ = 0;     // who has the terminal; 0: we
  bool taken_ = false;  // it is ours now
  bool draws_ = false;  // what was drawn is not taken yet
  bool ended_ = false;
  int code_ = 0;
};

}  // namespace orch::cli
