#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "attach/detach_key.h"
#include "base/result.h"
#include "client/client.h"
#include "event/event.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "store/session_file.h"
#include "term/screen.h"
#include "ui/screen_view.h"
#include "ui/user_terminal.h"

namespace orch::ui {

// Shows a session of another process on the user's terminal and passes on the user's keys, until
// the user leaves or the session ends. It keeps a screen of its own, fed from the host's snapshots
// and the raw output after them; of the agent's output only known cells and modes reach the
// terminal. However it ends, the terminal is restored.
class Viewer final : private client::Follower {
 public:
  struct Plan {
    std::string state_dir;
    store::SessionRecord session;
    bool read_only = false;
    attach::DetachKey key;
    Ink ink = Ink::kColors;
  };
  // How the viewing ended.
  struct End {
    enum class Kind : uint8_t {
      kLeft,      // by the key that leaves
      kEnded,     // the session has ended
      kLost,      // the host is gone, or refused
      kSignalled  // a signal asked this process to end
    };
    Kind kind = Kind::kLeft;
    std::string result_json = {};  // of kEnded
    base::Error error = {};        // of kLost
    int signum = 0;                // of kSignalled
  };

  // The terminal must be ours (UserTerminal::is_ours()).
  Viewer(loop::Loop& loop, Plan plan);
  ~Viewer() override;

  // Runs the loop until the viewing has ended.
  End run();

 private:
  void on_started(uint64_t events_offset) override;
  void on_event(std::string_view json) override;
  void on_raw(std::string_view bytes) override;
  void on_snapshot(term::Size size, std::string_view bytes) override;
  void on_lagged(const client::Gap& gap) override;
  void on_end(std::string_view result_json) override;
  void on_lost(const base::Error& error) override;

  void take_terminal();
  void on_keys();
  void leave();
  void type(std::string_view bytes);
  void read_keys();
  void suspend();
  void on_window_changed();
  void on_signal(int signum);
  void end(End end);
  term::Size window() const;  // the size that is left for the agent's screen
  std::string line() const;

  loop::Loop& loop_;
  Plan plan_;
  UserTerminal terminal_;
  std::optional<term::Screen> screen_;  // the host's screen; empty before the first snapshot
  ScreenView view_;
  loop::WatchedFd keys_;
  loop::Timer escape_, retry_;
  loop::Timer leaving_;  // runs while the host still has to take the keys typed before leaving
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  std::unique_ptr<loop::SignalWatch> suspended_;
  std::unique_ptr<client::Client> client_;
  std::string state_;  // status and cause, "working/tool"
  int turns_ = 0;
  std::optional<End> end_;
};

}  // namespace orch::ui
