#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/command.h"
#include "agent/dialog_choice.h"
#include "agent/news.h"
#include "base/result.h"
#include "base/time.h"
#include "event/event.h"
#include "policy/policy.h"
#include "run/completion.h"
#include "run/dialog_option.h"
#include "run/gate.h"
#include "run/limit_reset.h"
#include "run/novelty.h"
#include "run/verdict.h"

namespace orch::run {

using agent::DeliveryResult;
using base::kNever;
using base::TimeMs;

enum class OnLimit : uint8_t { kExit, kWait };

// What one run is to do.
struct RunPlan {
  Until until = Until::kComplete;
  std::string prompt;  // empty: nothing is sent
  // What the agent is told first in every conversation but the one that the run begins with, before
  // all that waits; "": the prompt, when nothing waits.
  std::string role = {};
  std::string keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  int64_t timeout_ms = 0;       // of the whole run; 0: none
  int64_t idle_timeout_ms = 0;  // at work without output or another sign of life; 0: none
  OnLimit on_limit = OnLimit::kExit;
  // Until then (Unix, milliseconds) another run has found the agent's account to be at a limit,
  // which one that waits for limits waits for with its prompt; 0: no such limit is known.
  int64_t limited_until_ms = 0;
  std::shared_ptr<const policy::Policy> policy;  // answers dialogs; null: none is answered
  int64_t ask_timeout_ms = 0;  // how long a dialog may wait for somebody's answer; kNever: for ever
  std::string agent;           // its name, for the policy's rules
  std::string what_runs = "the agent";  // as the verdict calls it
  std::string work_dir;                 // the agent's, absolute: what the policy protects
  bool fenced = false;                  // the kernel holds what the agent does to files
  GatePlan gates;
  bool require_changes = false;
  // Once the agent has used up so much, in and out together, it gets no further turn; 0: no limit.
  int64_t max_tokens = 0;
  double max_cost_usd = 0;
};

// A message from outside of the run (orch send).
struct SendRequest {
  std::string text;
  bool as_command = false;
  bool until_idle = false;  // reported when its turn is over, else when it is accepted
  int64_t timeout_ms = 0;   // reported as timed out after this long; 0: never
  std::string from = std::string(event::kFromUser);
  bool awaited = true;  // somebody waits for its report, and is not left to wait at a dialog
};

// What became of it.
struct SendReport {
  std::string id;  // "m3"
  DeliveryResult result = DeliveryResult::kAccepted;
  std::string reason;  // one line; "" when it was accepted
  int enters = 0;      // how often Enter was typed
};

// The dialog that waits for a person.
struct WaitingDialog {
  std::string id;  // the same while the same dialog stands
  agent::DialogRequest request;
};

// A person's answer to it (orch answer).
struct AnswerRequest {
  std::string dialog;  // the id of the one that is meant; "": whichever stands
  agent::DialogChoice choice;
};
// After this long an answer that was not seen to take is given up.
inline constexpr int64_t kLongestAnswerMs = 30'000;

// What the owner has to do, beside carrying commands to the agent's driver.
struct StopAgent {
  enum class Manner : uint8_t {
    kPolitely,   // by what the agent takes for a wish to quit
    kTerminate,  // by SIGTERM
    kNow,        // by SIGKILL
  };
  Manner manner = Manner::kPolitely;
};
struct Tell {
  event::Event event;
};
struct Report {  // to whoever sent the message
  SendReport report;
};
struct RestartAgent {};  // end it and start it again; then on_restart()
struct TellReset {       // to whoever asked for the reset
  enum class How : uint8_t { kCleared, kRestarted };
  How how = How::kCleared;
};
// To whoever answered the dialog: Ok when it was seen to go after the keys were typed, and the
// agent has taken the words that go with the answer. An error is of kUsage when nothing was typed,
// and of kSystem when the dialog still stands, or the words were not taken.
struct TellAnswered {
  base::Status outcome;
};
struct FindLimitEnd {};  // in what the agent shows; then on_limit_end()
struct FindLifeSigns {   // of the agent's processes; then on_life_signs()
  int64_t for_ms = 0;    // how long to look
};
struct FindChanges {};  // of the work directory; then on_changes()
struct RunGate {        // then on_gate()
  int n = 0;            // GateEnd's
  std::string command;
  int64_t timeout_ms = 0;
};
struct EndChecks {};  // the one of the two that goes on: nothing is told of it any more
using Action =
    std::variant<agent::Command, StopAgent, Tell, Report, RestartAgent, TellReset, TellAnswered,
                 FindLimitEnd, FindLifeSigns, FindChanges, RunGate, EndChecks>;

// What the run's own time does not tell: it stands still while the machine is suspended.
struct Clocks {
  int64_t wall_ms = 0;     // what people's clocks show; somebody may set it
  int64_t elapsed_ms = 0;  // since some moment, suspends included
};

// The logic of one run over one agent: gets messages in, one after another, counts turns, asks an
// agent to continue that stopped early, has dialogs decided and gives up on those nobody answers,
// keeps the deadline, has the work of an agent checked that says it is done, and decides the
// verdict. It knows nothing of how the agent is talked to. Pure:
// news in, actions out; all times are the run's milliseconds.
class Machine {
 public:
  Machine(RunPlan plan, TimeMs now);

  void on_news(TimeMs now, const agent::News& news);
  // When next_deadline() has come. `last_output` is the agent's.
  void on_time(TimeMs now, TimeMs last_output);
  // Whenever news were told: the same, but the run's time limit does not act. More may have come in
  // time that is still to be told, since this process may have been stopped meanwhile.
  void settle(TimeMs now, TimeMs last_output);

  // Queues a message behind those that wait, and returns its id. A Report follows, once.
  std::string send(SendRequest request, TimeMs now);
  // The sender is gone: what was not typed yet is not sent. Nothing is reported.
  void withdraw(const std::string& id, TimeMs now);

  // Back to an empty conversation; messages that wait go on waiting, and a run that has a task
  // begins it anew. TellReset follows, once, unless the agent ends. An error: not now.
  base::Status reset(TimeMs now);
  void on_restart(TimeMs now);  // another process of the agent has taken its place

  std::optional<WaitingDialog> waiting_dialog() const;
  // Answers it. TellAnswered follows, once, within kLongestAnswerMs. An error: nothing is typed,
  // and nothing follows; of kNotFound when no dialog is open.
  base::Status answer(const AnswerRequest& request, TimeMs now);

  // To be told before on_limit_end() and on_time(), whenever they are.
  void on_clocks(TimeMs now, Clocks clocks);
  // When the limit ends that the agent has met; nothing: that is not said.
  void on_limit_end(std::optional<LimitReset> reset);
  // Whether the agent, whose terminal is silent, is alive all the same; `evidence` is one line.
  void on_life_signs(TimeMs now, bool alive, const std::string& evidence);

  void on_signal(int signum);  // SIGINT, SIGTERM: first politely, then at once
  void on_kill(bool at_once);  // orch kill: SIGTERM and its ladder, or SIGKILL
  // orch itself cannot go on. A verdict that was final is so no longer: another exit is told.
  void on_failure(std::string detail);
  // The agent has ended. The verdict is final after this, unless what it did is checked first.
  void on_exit(TimeMs now, int code, int signal);

  // What was asked for by FindChanges and RunGate.
  void on_changes(TimeMs now, Changes changes);
  void on_gate(TimeMs now, GateEnd end);

  TimeMs next_deadline() const;
  std::vector<Action> take_actions();
  bool ended() const { return state_ == State::kEnded; }
  const Verdict& verdict() const { return *verdict_; }  // once ended()
  int turns() const { return turns_; }
  int messages_sent() const { return messages_sent_; }
  const std::vector<GateEnd>& gates() const { return gates_; }  // all that were run
  const std::optional<Changes>& changes() const { return facts_.changes; }
  // What all turns took together, as far as the agent says.
  const std::optional<event::Usage>& usage() const { return usage_; }
  // Messages that wait, are on their way or have a turn that is not over, and what else the run
  // does about one: it waits for a limit to end, has work checked, or ends. While there are any, an
  // agent at its prompt is not at rest.
  int pending() const;
  // A person has interrupted the agent, which rests at its prompt: how it is to go on is for a
  // person to say. The limits of the run act, --idle-timeout when nobody is at it.
  bool waits_for_word() const;
  // A person has time to answer the dialog that stands, or to give that word, and nothing goes on
  // until then. Not where the run ends as soon as the dialog is seen to stand.
  bool waits_for_person() const;

 private:
  enum class State : uint8_t {
    kDelivering,
    kTurn,
    kResting,
    kLimited,
    kResetting,
    kChecking,  // the agent says that it is done
    kStopping,
    kEnded,
  };
  enum class Sender : uint8_t { kRun, kOther };
  struct Outgoing {
    std::string id = {};
    std::string text = {};
    Sender sender = Sender::kRun;
    std::string from = std::string(event::kFromRun);
    bool task = false;  // the run's prompt
    bool as_command = false;
    bool until_idle = false;
    bool awaited = false;  // by somebody whom a dialog is not to keep waiting
    TimeMs queued_at = 0;
    TimeMs give_up_at = kNever;
    int enters = 0;      // typed for it
    bool typed = false;  // it cannot be taken back any more
    bool told = false;   // its sender knows what became of it
  };
  struct OpenDialog {
    std::string id;
    agent::DialogRequest request;
    TimeMs since = 0;    // when it was left to a person
    bool waits = false;  // for one
  };
  struct OpenAnswer {  // of a person
    ChosenOption chosen;
    TimeMs give_up_at = kNever;
    bool typed = false;
  };
  struct AnswerWords {  // that a person's answer has the agent told
    std::string message;
    TimeMs give_up_at = kNever;
  };
  struct Resumption {                                     // after a limit
    LimitReset::Kind kind = LimitReset::Kind::kDuration;  // by which clock
    int64_t at_ms = 0;                                    // of that clock
  };

  void on(TimeMs now, const event::StatusChange& change);
  void on(TimeMs now, const event::Tool& tool);
  void on(TimeMs now, const event::Usage& usage);
  void on(TimeMs now, const agent::Line& line);
  void on(TimeMs now, const agent::Denied& denied);
  void on(TimeMs now, const agent::MessageTyped& typed);
  void on(TimeMs now, const agent::MessageEntered& entered);
  void on(TimeMs now, const agent::MessageAccepted& accepted);
  void on(TimeMs now, const agent::MessageFailed& failed);
  void on(TimeMs now, const agent::Recorded& recorded);
  void on(TimeMs now, const agent::TurnEnded& ended);
  void on(TimeMs now, const agent::DialogOpened& opened);
  void on(TimeMs now, const agent::DialogTyped& typed);
  void on(TimeMs now, const agent::DialogLeft& left);
  void on(TimeMs now, const agent::DialogClosed& closed);
  void on(TimeMs now, const agent::ResetEnded& ended);
  void on(TimeMs now, const agent::Attended& attended);
  void on(TimeMs now, const agent::Interrupted& interrupted);

  std::string queue(TimeMs now, Outgoing message);
  void start_next();
  void set_aside(std::string_view why);
  void begin_anew(TimeMs now);
  bool is_current(const std::string& id) const;
  void end_for(const agent::MessageFailed& failed);
  void report(Outgoing& message, DeliveryResult result, std::string reason);
  void report_late(TimeMs now);
  bool is_held_up() const;
  TimeMs blocked_at(const Outgoing& message) const;
  void on_out_of_time();
  void take_next_step(TimeMs now);
  void go_on(TimeMs now);
  bool is_used_up() const;
  void end_used_up();
  void consider_silence(TimeMs now, TimeMs last_output);
  void consider_interrupt(TimeMs now);
  TimeMs word_deadline() const;
  void consider_dialog(TimeMs now);
  policy::Decision decision_on(const agent::DialogRequest& request) const;
  bool limit_asks() const;
  bool ends_at_limit() const;
  void find_limit_end();
  Resumption resumption_at(LimitReset reset) const;
  int64_t until_resumption_ms() const;
  void resume(TimeMs now);
  void leave_dialog(TimeMs now);
  void consider_answer(TimeMs now);
  void close_dialog(TimeMs now, const std::string& untyped);
  void conclude_answer(const std::string& untyped);
  void fail_answer(TimeMs now, const std::string& why);
  bool words_follow() const { return answer_ && !answer_->chosen.words.empty(); }
  void take_waiting_step(TimeMs now);
  void end_answer(base::Status outcome);
  void conclude_words(const std::string& why_not);
  TimeMs answer_deadline() const;
  TimeMs dialog_deadline() const;
  TimeMs time_limit() const;
  void decide(event::ExitReason reason, std::string detail, StopAgent::Manner manner);
  void decide(Verdict verdict, StopAgent::Manner manner);
  void on_done(TimeMs now);
  void check_next(TimeMs now);
  void end_checks(TimeMs now);
  void leave_checks();
  bool is_in_turn() const;
  bool can_fix() const;
  bool has_checks() const { return plan_.require_changes || !plan_.gates.commands.empty(); }
  const Facts& facts();
  void end_run();
  bool is_busy() const;
  void tell(event::Event event) { actions_.push_back(Tell{std::move(event)}); }
  void tell_dialog(const agent::DialogRequest& request, std::string answer, std::string by);
  void command(agent::Command command) { actions_.emplace_back(std::move(command)); }

  RunPlan plan_;
  std::shared_ptr<const policy::Policy> policy_;
  State state_ = State::kResting;
  std::deque<Outgoing> queue_;
  Outgoing current_;  // that is on its way, or whose turn it is
  std::optional<OpenDialog> dialog_;
  std::optional<OpenAnswer> answer_;  // to it, while its keys are typed or it is seen to go
  std::optional<AnswerWords> words_;  // of an answer that was taken, until the agent has them
  int dialogs_ = 0;                   // opened
  bool attended_ = false;             // a person holds the keyboard
  // A person interrupted the agent: until it has taken a message that somebody sent, the run sends
  // none of its own.
  bool held_ = false;
  std::optional<TimeMs> waits_for_word_since_;
  bool step_waits_ = false;  // the agent rests, but what it is to do instead is told first
  Novelty novelty_;
  std::optional<Resumption> resumption_;  // kLimited: once the limit's end is known
  std::optional<Resumption> named_;  // by a limit's dialog, which is gone when it is waited for
  Clocks clocks_;                    // as they were told last,
  TimeMs clocks_at_ = 0;             // then
  int limits_ = 0;                   // met since a turn went well
  TimeMs alive_at_ = 0;              // the last sign of life that was no output
  TimeMs silent_at_ = kNever;        // when the silence will have lasted too long
  bool looks_for_life_ = false;
  std::vector<Action> actions_;
  std::optional<Verdict> verdict_;
  Facts facts_;                 // facts() has them all
  std::vector<GateEnd> gates_;  // that were run
  int gates_begun_ = 0;
  int fixes_ = 0;                  // messages that told the agent of a gate that failed
  bool gone_ = false;              // the agent's process has ended
  std::optional<int> agent_code_;  // ... with this, if by no signal

  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  TimeMs started_;
  TimeMs status_since_;
  Completion completion_;      // of the turn that the last message began
  bool ends_in_tool_ = false;  // the turn, as the agent's own record says
  std::optional<event::Usage> usage_;
  int turns_ = 0;
  int messages_ = 0;  // queued
  int messages_sent_ = 0;
  int interrupts_ = 0;
  bool out_of_time_ = false;  // the time limit has passed; it counts once
};

}  // namespace orch::run
