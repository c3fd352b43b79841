#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/agent_view.h"
#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "run/machine.h"
#include "session/hook_channel.h"
#include "session/key_queue.h"
#include "session/run_files.h"
#include "session/session_setup.h"
#include "store/run_dir.h"
#include "store/run_record.h"

namespace orch::session {

using base::TimeMs;
using driver::AgentView;
using driver::Sighting;

// Told what a session does while it runs. Calls come from the loop. `json` is the event's record as
// one line of events.jsonl, without a line feed.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  virtual void on_event(const event::Event& event, std::string_view json) = 0;
  virtual void on_raw(std::string_view bytes) = 0;  // the agent's output as it came
};

// One agent on a terminal of its own, where pure meets I/O: it owns the pty, the run's folder and
// the logic, moves bytes and events between them, and leaves a recording, an event log, a
// transcript and a result behind. Neither copied nor moved.
class Session final : private pty::Observer {
 public:
  // Starts the agent. On an error nothing of it is left, on disk neither. `on_ended` is called from
  // the loop, once, when everything is written; it may destroy the session. `sink` outlives the
  // session.
  static base::Result<std::unique_ptr<Session>> start(loop::Loop& loop, SessionSetup setup,
                                                      SessionSink& sink,
                                                      std::function<void()> on_ended);
  ~Session() override;

  void on_signal(int signum);  // SIGINT, SIGTERM of the user: politely, the second time at once
  void kill(bool at_once);     // orch kill
  // Types keys (term::key_bytes names them), each as a write of its own and so far apart that an
  // Escape is no Alt. An error names what is no key; then nothing is typed.
  base::Status type_keys(const std::vector<std::string>& names);
  // While a person holds the keyboard nothing of orch's own is typed, but what that person types.
  void hold_keyboard(bool held);
  void type(std::string bytes);

  // Queues a message for the agent; `on_report` is called from the loop, once. Returns its id. An
  // error: when this agent is ready for one is not known.
  using OnReport = std::function<void(const run::SendReport&)>;
  base::Result<std::string> send(run::SendRequest request, OnReport on_report);
  // Takes the message back if it was not typed yet; in any case nothing is reported any more.
  void withdraw(const std::string& id);
  const term::Screen& screen() const { return view_->screen(); }  // another after a restart
  // Brings the agent back to an empty conversation. `on_done` is called from the loop, once, with
  // how, or an error if the session ends first; nullptr: nobody wants to know any more.
  using OnReset = std::function<void(base::Result<run::TellReset::How>)>;
  base::Status reset(OnReset on_done);
  void forget_reset() { on_reset_ = nullptr; }

  void fail(std::string why);  // its owner cannot go on: ends as orch's own failure
  void resize(term::Size size);
  // While paused nothing of the agent's output is read, so that it waits, and the end of a run that
  // was not told to end waits too.
  void pause_output();
  void resume_output() { pty_->resume_reading(); }

  const SessionSetup& setup() const { return setup_; }
  const detect::Detector& detector() const { return view_->detector(); }
  int turns() const { return machine_.turns(); }
  int64_t age_ms() const { return now(); }
  uint64_t events_bytes() const { return files_->events_size(); }  // of events.jsonl, now
  pid_t agent_pid() const { return pty_->pid(); }                  // 0 once reaped
  const store::RunDir& run_dir() const { return dir_; }
  const store::RunResult& result() const { return result_; }  // after on_ended

 private:
  Session(loop::Loop& loop, SessionSetup setup, store::RunDir dir, SessionSink& sink,
          std::function<void()> on_ended);
  base::Status open_files();
  void open_hooks();
  base::Status spawn();
  base::Status spawn_agent();
  bool restart();

  void on_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  void on_notice(std::string_view notice);
  void on_tick();
  void look();
  bool catch_up(TimeMs until);
  void take(Sighting sighting);
  void tell(std::vector<agent::Line> lines);
  void act();
  void perform(const run::Write& write);
  void perform(const run::StopAgent& stop);
  void perform(const run::Tell& tell);
  void perform(const run::Report& report);
  void perform(const run::RestartAgent& restart);
  void perform(const run::TellReset& reset);
  void perform(const run::FindLimitEnd& find);
  void perform(const run::FindLifeSigns& find);
  driver::InputView input_view() const;
  bool is_secret() const;
  void publish(const event::Event& event);
  void schedule();
  void check(const base::Status& status);
  void write_result(pty::ExitStatus status);

  TimeMs now() const { return loop_.now_ms() - started_ms_; }

  loop::Loop& loop_;
  SessionSetup setup_;
  store::RunDir dir_;
  SessionSink& sink_;
  std::function<void()> on_ended_;
  pty::Containment containment_;
  int64_t started_ms_;
  store::TimePoint started_;

  std::optional<AgentView> view_;  // of the agent's present process
  run::Machine machine_;
  std::optional<RunFiles> files_;
  std::unique_ptr<HookChannel> hooks_;
  std::unique_ptr<pty::Pty> pty_;
  loop::Timer tick_, life_timer_;
  KeyQueue keys_;
  std::map<std::string, OnReport> on_report_;  // by message
  event::AgentStatus status_at_end_ = event::AgentStatus::kStarting;
  event::Cause cause_at_end_ = event::Cause::kNone;
  OnReset on_reset_;
  int restarts_ = 0;         // that the agent itself asked for
  bool restarting_ = false;  // the agent is ended to be started again
  bool keyboard_held_ = false;
  bool stopping_ = false;  // the verdict is made: what the agent does now is only leaving
  bool failed_ = false;    // a write of ours failed; reported once
  store::RunResult result_;
};

}  // namespace orch::session
