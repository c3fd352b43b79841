#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "attach/detach_key.h"
#include "host/hosted_session.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "ui/screen_view.h"
#include "ui/user_terminal.h"

namespace orch::ui {

// Lets the user at the terminal take over a session: Ctrl-], telnet's key, shows the agent's screen
// and sends every further key to the agent; Ctrl-] again hands back. In between, orch itself types
// nothing to it. While nothing is taken over, other keys are read for the owner. Ctrl-Z suspends
// the process as usual.
class TakeOver {
 public:
  // Called from the loop and from members. Between on_taken and on_handed_back nobody else may
  // write on the terminal.
  struct Callbacks {
    std::function<void()> on_taken;
    std::function<void()> on_handed_back;
    // Keys typed while nothing is taken over, without the key that takes over. May call take().
    std::function<void(std::string_view bytes)> on_keys;
    // The session that Ctrl-] takes over; nullptr if it is not clear which one is meant.
    std::function<host::HostedSession*()> session_to_take;
  };
  TakeOver(loop::Loop& loop, Ink ink, Callbacks callbacks);

  void begin();                             // reads keys from now on, until end()
  void end();                               // hands back, and restores the terminal
  void take(host::HostedSession& session);  // must live until on_session_ends()
  void on_session_ends(const host::HostedSession& session);  // hands it back if it was taken
  void hand_back();  // as if the key was pressed; no effect without a take-over

  void on_drawn();  // call it when the session's screen may have changed

  // Whether Ctrl-Z has stopped this process since the last call. Before that stop everything of
  // ours was removed from the terminal, unlike before an unseen one (SIGSTOP).
  bool was_suspended() { return std::exchange(was_suspended_, false); }

  // Reads keys if begin() was called. In the background this process cannot: it returns false, and
  // reads them as soon as the process is in the foreground again.
  bool listen();

 private:
  void on_keys();
  void on_bytes(std::string_view bytes);
  void type(std::string_view bytes);
  void on_suspend();
  void on_continued();
  void on_window_changed();
  std::string line() const;

  loop::Loop& loop_;
  Callbacks callbacks_;
  UserTerminal terminal_;
  loop::WatchedFd keys_;
  loop::Timer escape_, retry_;
  ScreenView view_;
  loop::SignalWatch continued_, window_changed_;
  std::unique_ptr<loop::SignalWatch> suspended_;  // exists while keys are listened for
  host::HostedSession* taken_ = nullptr;          // the session that is taken over
  attach::ViewerId viewer_ = 0;                   // our id among its viewers
  attach::DetachKey key_;
  bool begun_ = false;
  bool was_suspended_ = false;
};

}  // namespace orch::ui
