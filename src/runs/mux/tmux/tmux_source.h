#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loop/timer.h"
#include "mux/pane_agent.h"
#include "mux/tmux/command_text.h"
#include "mux/tmux/control_client.h"
#include "mux/tmux/server.h"
#include "session/source.h"

namespace orch::mux::tmux {

// A pane next to others in the one window of a session.
struct Tile {
  std::string title;          // shown above the pane, whatever title its agent sets: [A-Za-z0-9_-]
  int cols = 200, rows = 60;  // size of the window, used if this is its first tile
};

// The place in tmux where an agent runs.
struct Place {
  Server server;
  std::string session;                    // its name: letters, digits, '-', '_' and '@'
  std::vector<std::string> pane_command;  // the pane's command; the name of its door is added
  std::optional<Tile> tile = {};          // if absent, the session is for this agent alone
};

// The source that runs its agent in a pane of tmux. The agent is a child of this process and has
// the pane's terminal (mux/pane_agent.h). tmux draws the agent's output for users who attach,
// answers its queries, and sends the bytes to a control client, where this source reads them. Input
// goes through tmux, too. The window keeps the size that it was given, whatever client attaches.
//
// The tiles of one process share a session. They divide one window of it in the order of their
// starts (`select-layout tiled`); when a tile ends the others are laid out anew, and the session
// ends with the last. The layout decides the size of a tile: resize() does not change it, and
// on_resized() reports it, from the first one on. No tile is kept after its end.
//
// A control client that is thrown out (attach -d, a server under pressure) attaches again and
// begins with a drawing of the pane's contents. When the pane itself is gone the agent has lost its
// terminal, and on_lost() is called.
class TmuxSource final : public session::Source,
                         private ControlObserver,
                         private mux::PaneObserver {
 public:
  // Waits for tmux and the pane: some 30 ms, at most 10 s. A session of that name whose pane is
  // dead is removed first. One that lives is an error of kUsage, unless it has tiles of this
  // process and this is another one.
  static base::Result<std::unique_ptr<session::Source>> start(loop::Loop& loop, const Place& place,
                                                              const pty::SpawnPlan& plan,
                                                              session::SourceObserver& observer);
  ~TmuxSource() override;

  void write(std::string bytes) override;
  void resize(int cols, int rows) override;
  void pause() override;
  void resume() override;
  void stop(session::StopOrder order) override;
  void part(session::Parting parting) override;
  pid_t pid() const override { return agent_ ? agent_->pid() : 0; }
  bool canonical() const override { return agent_->canonical(); }
  bool asks_secret() const override { return agent_->asks_secret(); }
  bool decides_size() const override { return place_.tile.has_value(); }
  bool answers_queries() const override { return true; }

 private:
  enum class Phase : uint8_t {
    kRunning,
    kDraining,  // the agent has ended, and its last output is on its way
    kEnded,
  };

  TmuxSource(loop::Loop& loop, Place place, session::SourceObserver& observer);
  base::Status open_session(const pty::SpawnPlan& plan, std::unique_ptr<mux::PaneLink>& link);
  std::vector<std::string> opening_words(const std::string& door) const;
  std::string last_tile() const;
  base::Result<std::unique_ptr<mux::PaneLink>> await_pane(mux::PaneDoor& door, int64_t until_ms);
  base::Status make_room(int64_t until_ms) const;
  base::Status set_up(const mux::PaneLink& link);
  void set_up_tile();
  void keep_tiled();
  base::Error error(const std::string& text) const;

  void on_pane_output(std::string_view pane, std::string_view bytes) override;
  void on_notice(std::string_view name, std::string_view rest) override;
  void on_caught_up() override;
  void on_closed(const std::string& why) override;
  void on_agent_ended(pty::ExitStatus status) override;
  void on_pane_lost() override;

  void deliver();
  void drain();
  void end();
  void attach_again();
  void join();
  void on_snapshot(std::span<const Block> answer);
  void look_at_size(int64_t after_ms);
  void see_size();
  void take_size();
  void insist_on_size();

  loop::Loop& loop_;
  Place place_;
  session::SourceObserver& observer_;
  std::string session_id_, window_id_, pane_id_;  // "$0", "@0", "%0"
  RawPaste raw_paste_ = RawPaste::kAsItIs;
  std::string arrived_;  // output that was not passed on yet
  std::string unsent_;   // input to be sent once a client is attached again
  std::string mark_;     // printed behind the agent's output, to recognise its end
  pty::TerminalSize size_;
  pty::ExitStatus status_;
  Phase phase_ = Phase::kRunning;
  bool joining_ = false;  // output is dropped until the snapshot, which contains it
  bool paused_ = false;
  bool lost_ = false;
  int attempts_ = 0;  // attempts to attach again since the last success
  int looks_ = 0;     // how many looks at the size are still to come
  std::unique_ptr<ControlClient> client_;
  std::unique_ptr<mux::PaneAgent> agent_;
  loop::Timer drain_, resized_;
  loop::Timer again_;   // after a pause, passes on the output so far
  loop::Timer attach_;  // attaches again after the client was lost, even during a pause
};

}  // namespace orch::mux::tmux
