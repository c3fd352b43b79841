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

// Draws for a FullScreen and takes its input. All functions are called from the loop.
class Show {
 public:
  virtual ~Show() = default;
  virtual void draw(ui::Canvas& canvas) = 0;  // the canvas is blank and has the terminal's size
  virtual void on_input(const ui::TerminalInput& input) = 0;
  // A command that was run on the terminal has ended. `trouble` is "" if it succeeded, otherwise a
  // text such as "ended with 1".
  virtual void on_command_ended(const std::string& trouble) = 0;
};

// Takes over the whole terminal for a program that draws on it and reads its keys, and lends it to
// other commands (run_command()). It lets go of the terminal while the program is suspended or in
// the background, and restores its modes at the end. The terminal must be ours
// (UserTerminal::is_ours()).
class FullScreen {
 public:
  FullScreen(ui::Ink ink, Show& show);

  loop::Loop& loop() { return loop_; }
  void start();  // takes the terminal, if that is possible now, and draws
  int run();     // runs until end(); returns the exit code: 0, or 128 + the signal that ended it
  void end(int code);  // input typed after it is dropped
  void suspend();      // stops this process, as Ctrl-Z does
  void forget();       // the next draw() paints everything, whatever the terminal shows
  void draw();         // paints changes, if we have the terminal
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
  std::unique_ptr<loop::SignalWatch> suspended_;  // watches SIGTSTP while we have the terminal
  std::unique_ptr<loop::ChildWatch> child_watch_;
  pid_t child_ = 0;     // the command that has the terminal; 0: none
  bool taken_ = false;  // we have the terminal
  bool draws_ = false;  // the last frame is not written completely yet
  bool ended_ = false;
  int code_ = 0;
};

}  // namespace orch::cli
