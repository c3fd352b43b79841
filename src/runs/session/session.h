#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/model_gateway.h"
#include "base/result.h"
#include "driver/driver.h"
#include "driver/turn_words.h"
#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "run/machine.h"
#include "session/account_watch.h"
#include "session/agent_process.h"
#include "session/call_check.h"
#include "session/checks.h"
#include "session/keyboard.h"
#include "session/last_resort.h"
#include "session/refused_reach.h"
#include "session/refused_reads.h"
#include "session/run_log.h"
#include "session/session_setup.h"
#include "session/source.h"
#include "session/watches.h"
#include "store/run_dir.h"
#include "store/run_record.h"

namespace orch::session {

using base::TimeMs;

// One run of one agent, where the pure parts meet I/O. It only connects them: the source's bytes go
// to the driver, the driver's news to the run's logic, the logic's commands back to the driver, and
// all of it to the log. It can be neither copied nor moved.
class Session final : private SourceObserver {
 public:
  // Starts the agent. After an error no session is left, and no file of it either, unless it was
  // the agent that could not be started: then the run's files say why. `on_ended` is called from
  // the loop, once, when everything is on the disk, or the disk did not take it in time; it may
  // destroy the session. `sink` outlives the session.
  static base::Result<std::unique_ptr<Session>> start(loop::Loop& loop, SessionSetup setup,
                                                      SessionSink& sink,
                                                      std::function<void()> on_ended);
  ~Session() override;

  // A SIGINT or SIGTERM from the user: the first ends the agent politely, the second at once.
  // Whatever the session waits for after a second one, even after the verdict, it ends within 10 s.
  void on_signal(int signum);
  void kill(bool at_once);  // for orch kill; the second call acts at once too
  // Types keys (term::key_bytes names them), each as a write of its own and far enough apart that
  // an Escape is not read as an Alt. If a name is unknown, the error names it, and no key is typed.
  base::Status type_keys(const std::vector<std::string>& names);
  // While a user holds the keyboard, orch types only that user's input. `attended`: somebody is
  // there who could answer a dialog of the agent, so no dialog is given up until they leave.
  void hold_keyboard(bool held, bool attended);
  void type(std::string bytes);

  // Queues a message for the agent and returns its id; `on_report` is called from the loop, once.
  // An error if orch does not know when this agent is ready for a message.
  using OnReport = std::function<void(const run::SendReport&)>;
  base::Result<std::string> send(run::SendRequest request, OnReport on_report);
  // Takes the message back if it was not typed yet. In any case on_report is not called any more.
  void withdraw(const std::string& id);
  // Brings the agent back to an empty conversation. `on_done` is called from the loop, once, with
  // how that was done, or with an error if the session ends before. forget_reset(): it is not
  // called any more.
  using OnReset = std::function<void(base::Result<run::TellReset::How>)>;
  base::Status reset(OnReset on_done);
  void forget_reset() { on_reset_ = nullptr; }

  // The dialog that waits for a user, and an answer to it. `on_answered` is called from the loop,
  // once, with the outcome of the answer (run::TellAnswered). forget_answer(): it is not called any
  // more.
  std::optional<run::WaitingDialog> waiting_dialog() const { return machine_.waiting_dialog(); }
  using OnAnswered = std::function<void(base::Status)>;
  base::Status answer(const run::AnswerRequest& request, OnAnswered on_answered);
  void forget_answer() { on_answered_ = nullptr; }

  // An event of the agent's hook for the call check; see CallCheck. forget_call(): nobody waits for
  // the decision any more.
  std::string call(std::string_view json, CallCheck::OnDecided on_decided);
  void forget_call(const std::string& id);

  void fail(std::string why);  // by the session's owner: the run ends as a failure of orch
  void resize(term::Size size);
  // For run.json: the version that the agent's program reports, unless the agent's own session has
  // named one.
  void take_agent_version(const std::string& version);
  // While paused none of the agent's output is read, so that the agent has to wait when its
  // terminal is full. The run does not end either, unless it was asked to.
  void pause_output();
  void resume_output();

  const SessionSetup& setup() const { return setup_; }
  // The driver of the present process, another one after a restart.
  const driver::Driver& driver() const { return *driver_; }
  int turns() const { return machine_.turns(); }
  int pending() const { return machine_.pending(); }  // undelivered messages, see run::Machine
  bool waits_for_word() const { return machine_.waits_for_word(); }
  bool waits_for_person() const { return machine_.waits_for_person(); }
  const std::optional<event::Usage>& usage() const { return machine_.usage(); }
  // Until the limit ends that the last turn met; nullopt: it met none, or the agent named no time.
  std::optional<int64_t> retry_after_ms() const;
  int64_t age_ms() const { return now(); }
  uint64_t events_bytes() const { return log_->events_bytes(); }  // size of events.jsonl so far
  size_t unwritten_bytes() const { return agent_->source().unwritten_bytes(); }
  pid_t agent_pid() const { return agent_->source().pid(); }  // 0 once reaped
  const store::RunDir& run_dir() const { return dir_; }
  const store::RunResult& result() const { return result_; }  // valid after on_ended
  bool stays() const;  // after on_ended: the run failed, and the session stays to be looked at

 private:
  Session(loop::Loop& loop, SessionSetup setup, store::RunDir dir, AccountWatch account,
          SessionSink& sink, std::function<void()> on_ended);
  base::Status open();
  base::Status open_gateway();
  void end_gateway();
  void set_up_checks();
  void set_up_call_check();
  void set_up_watches();
  void keep_failed_start(const base::Error& why);
  void note_start() const;
  void record_widths();
  void prepare_looks() const;
  void tell_known_limit() const;

  void on_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  void on_error_output(std::string_view bytes) override;
  void on_resized(int cols, int rows) override;
  void on_lost(const std::string& why) override;
  void on_notice(std::string_view notice);
  void take_notice(std::string_view notice);
  void on_tick();
  void soon();
  void pump();
  bool take_news();
  bool take_writes();
  bool take_launch();
  bool take_actions();
  bool resizable() const;
  bool fit_rows();
  void set_size(term::Size size);
  void see_size(term::Size size);
  void tell(std::vector<agent::Line>& lines);
  void note_refusals(const std::vector<agent::Line>& lines);
  void note_fix_turns();
  std::vector<std::string> refused_paths() const;
  void hear(const agent::News& news);
  void see_limit(event::Cause cause);
  void end_turn();
  void fail_if_not_started();
  void note_cancelled();
  void hurry();
  int64_t within_time_limit(int64_t at_most_ms) const;
  void await_end(const StopOrder& order);
  void keep_worktree(std::string why);
  void await_disk();
  void leave_disk();
  void perform(const agent::Command& command);
  void perform(const run::StopAgent& stop);
  void perform(const run::Tell& tell);
  void tell_exit(const event::Exit& exit);
  void perform(const run::Report& report);
  void perform(const run::RestartAgent& restart);
  void perform(const run::TellReset& reset);
  void perform(const run::TellAnswered& answered);
  void perform(const run::FindLimitEnd& find);
  void perform(const run::FindLifeSigns& find);
  void on_life_signs(bool alive, const std::string& evidence);
  void perform(const run::DecideCall& decide);
  void perform(const run::ShowCall& show);
  void perform(const run::FindChanges& find);
  void perform(const run::RunGate& gate);
  void perform(const run::EndChecks& end);
  void write(std::string bytes);
  bool is_secret() const;
  void see_surroundings();
  void schedule();
  bool restart();
  void describe(event::ExitReason reason, int code, const std::string& detail);
  std::string last_complaint() const;
  std::string login_hint() const;
  void on_verdict();
  void leave();
  void leave_worktree();
  void end_run();
  void conclude(pty::ExitStatus status);
  void on_written(const base::Status& written);

  TimeMs now() const { return loop_.now_ms() - started_ms_; }

  loop::Loop& loop_;
  SessionSetup setup_;
  std::optional<int> own_rows_;  // of the terminal, while it is higher for a dialog
  store::RunDir dir_;
  AccountWatch account_;
  SessionSink& sink_;
  std::function<void()> on_ended_;
  int64_t started_ms_;
  store::TimePoint started_;

  std::unique_ptr<driver::Driver> driver_;  // of the agent's present process
  run::Machine machine_;
  std::optional<RunLog> log_;
  std::unique_ptr<agent::ModelGateway> gateway_;  // null: the agent asks its model itself
  std::unique_ptr<AgentProcess> agent_;
  std::optional<CallCheck> call_check_;  // set in open()
  std::optional<Checks> checks_;         // set in open()
  loop::Timer tick_, leave_timer_;
  LastResort last_resort_;  // limits each wait once the agent is to end
  Keyboard keyboard_;
  std::optional<Watches> watches_;  // set in open()
  struct Delivered {                // the message that is being typed, or was typed last
    std::string text;
    store::TimePoint typed;
  };
  Delivered delivered_;
  driver::TurnWords turn_words_;
  std::optional<RefusedReads> refused_reads_;  // made at the first line, when the fence stands
  RefusedReach refused_reach_;                 // made with it
  std::map<std::string, OnReport> on_report_;  // by the id of the message
  OnReset on_reset_;
  OnAnswered on_answered_;
  event::AgentStatus status_at_end_ = event::AgentStatus::kStarting;
  event::Cause cause_at_end_ = event::Cause::kNone;
  std::optional<TimeMs> limit_ends_;  // of the provider, that the last turn met
  enum class Phase : uint8_t {
    kRunning,
    kStopping,  // the verdict is made, and the agent is only ending
    kGone,      // the agent has ended, and its work is being checked
    kLeaving,   // the verdict is final, and the worktree is being removed
    kEnded,     // all is done, and the files are on their way to the disk
  };
  Phase phase_ = Phase::kRunning;
  bool has_verdict() const { return phase_ == Phase::kLeaving || phase_ == Phase::kEnded; }
  bool is_over() const { return phase_ == Phase::kGone || has_verdict(); }
  int asked_to_end_ = 0;  // how often, by signals and orch kill
  bool enclosure_left_ = false;
  size_t files_taken_ = 0;     // files on the disk when the wait for it began
  bool rest_ended_ = false;    // the processes that the agent left behind were killed
  bool hurried_ = false;       // after the verdict somebody asked for the end again
  pty::ExitStatus agent_end_;  // valid once the agent has ended
  std::string last_screen_;    // when the agent ended
  std::string last_line_;      // of last_screen_
  bool start_kept_ = false;    // the agent could not be started, and the run's files say so
  store::RunResult result_;
  int noted_fixes_ = 0;  // fix turns that the user was told of
};

}  // namespace orch::session
