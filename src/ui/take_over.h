#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "loop/fd_watch.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "session/session.h"
#include "term/screen.h"
#include "ui/output_stream.h"
#include "ui/user_terminal.h"

namespace orch::ui {

// Whether a person sits at our terminal who could take a session over.
bool can_take_over();

// Lets the person at the terminal answer for one session: Ctrl-], telnet's key, shows the agent's
// screen and gives the agent every further key; Ctrl-] again hands back. Meanwhile orch itself
// types nothing. Other keys are read and forgotten. Ctrl-Z suspends as usual.
class TakeOver {
 public:
  // Calls from the loop and from members. Between them nobody else may write on the terminal.
  struct Callbacks {
    std::function<void()> on_taken;
    std::function<void()> on_handed_back;
  };
  TakeOver(loop::Loop& loop, Callbacks callbacks);

  void begin(session::Session& session);  // which lives until end()
  void end();                             // hands back; the terminal is as it was found
  void hand_back();                       // as if the key was pressed, if it is taken over

  void on_drawn();  // the session's screen may have changed

  // Listens for the key from now on. While this process is in the background it cannot: this is
  // false then, and it listens as soon as the process is in the foreground again.
  bool listen();

 private:
  void take();
  void on_keys();
  void on_bytes(std::string_view bytes);
  void on_suspend();
  void on_continued();
  void on_window_changed();
  void redraw_soon();
  void draw();
  std::string frame(const term::Screen& screen) const;

  loop::Loop& loop_;
  Callbacks callbacks_;
  UserTerminal terminal_;
  loop::FdWatch keys_;
  loop::Timer frame_timer_, retry_;
  OutputStream out_;
  loop::SignalWatch continued_, window_changed_;
  std::unique_ptr<loop::SignalWatch> suspended_;  // while it listens
  session::Session* session_ = nullptr;
  bool taken_ = false;
  std::string drawn_;    // the last frame
  int half_frames_ = 0;  // looked at since the last one
};

}  // namespace orch::ui
