#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "loop/timer.h"
#include "mux/pane_agent.h"
#include "pty/process.h"
#include "pty/tool_queue.h"
#include "session/source.h"

namespace orch::mux::zellij {

// The place in zellij where an agent runs.
struct Place {
  std::string session;                    // its name
  std::vector<std::string> pane_command;  // the pane's command; the name of its door is added
};

// The source that runs its agent in the only pane of a zellij session. The agent is a child of this
// process on the pane's terminal (mux/pane_agent.h). zellij does not pass its output on, but prints
// the pane's rows whenever they change (a `subscribe` client), or dumps them when asked, and a
// change is reported as output that draws the screen. Titles, modes and the cursor are lost, and so
// is text that scrolls by between two changes. The pane gets the plan's size from a client that
// attaches for a moment; later zellij alone decides the size.
class ZellijSource final : public session::Source,
                           private mux::PaneObserver,
                           private pty::ProcessObserver {
 public:
  // Waits for zellij and the pane, at most 10 s.
  static base::Result<std::unique_ptr<session::Source>> start(loop::Loop& loop, const Place& place,
                                                              const pty::SpawnPlan& plan,
                                                              session::SourceObserver& observer);
  ~ZellijSource() override;

  void write(std::string bytes) override;
  void resize(int /*cols*/, int /*rows*/) override {}
  void pause() override;
  void resume() override;
  void stop(session::StopOrder order) override;
  void part(session::Parting parting) override;
  pid_t pid() const override { return agent_ ? agent_->pid() : 0; }
  bool canonical() const override { return agent_->canonical(); }
  bool asks_secret() const override { return agent_->asks_secret(); }
  bool answers_queries() const override { return true; }

 private:
  enum class Phase : uint8_t {
    kRunning,
    kDraining,  // the agent has ended; the screen is dumped once more
    kEnded,
  };

  ZellijSource(loop::Loop& loop, Place place, session::SourceObserver& observer);
  base::Result<std::unique_ptr<mux::PaneLink>> open_pane() const;
  void on_agent_ended(pty::ExitStatus status) override;
  void on_pane_lost() override;
  void on_output(std::string_view bytes) override;  // of the subscribed client
  void on_error_output(std::string_view /*bytes*/) override {}
  void on_end(pty::ExitStatus status) override;
  void subscribe();
  void tell(std::string rows, bool last);
  void look_after(int64_t delay_ms);
  void on_look(bool ok, std::string_view dump, bool last);
  void end();

  loop::Loop& loop_;
  Place place_;
  session::SourceObserver& observer_;
  std::string pane_;  // "terminal_1"
  std::string seen_;  // the last dump of the screen
  pty::TerminalSize size_;
  pty::ExitStatus status_;
  Phase phase_ = Phase::kRunning;
  bool paused_ = false, lost_ = false;
  bool newer_ = false;  // rows have come from the client since the last dump was begun
  std::unique_ptr<mux::PaneAgent> agent_;
  loop::Timer look_, tell_, drain_;
  pty::ToolQueue tools_;
  base::LineCutter lines_;
  std::unique_ptr<pty::Process> changes_;  // the subscribed client; null: there is none
};

}  // namespace orch::mux::zellij
