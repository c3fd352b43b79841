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
#include "agent/tool_call.h"
#include "base/result.h"
#include "base/time.h"
#include "event/event.h"
#include "policy/policy.h"
#include "run/completion.h"
#include "run/dialog_option.h"
#include "run/gate.h"
#include "run/limit_reset.h"
#include "run/novelty.h"
#include "run/output_check.h"
#include "run/verdict.h"

namespace orch::run {

using agent::DeliveryResult;
using base::kNever;
using base::TimeMs;

enum class OnLimit : uint8_t { kExit, kWait };

// The reaction when the call check turns out not to be in force.
enum class CallsUnread : uint8_t { kEnd, kDialogs };

// The task of one run, and its limits.
struct RunPlan {
  Until until = Until::kComplete;
  std::string prompt;  // empty: nothing is sent
  // Sent to the agent first, before all waiting messages, whenever its conversation is begun anew
  // after a reset or restart. If it is empty, the prompt is sent again.
  std::string role = {};
  std::string keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  int64_t timeout_ms = 0;       // the longest time of the whole run; 0: no limit
  int64_t idle_timeout_ms = 0;  // the longest work without output or another sign of life; 0: none
  OnLimit on_limit = OnLimit::kExit;
  // Another run has found that the agent's account is at a limit until this moment (Unix time in
  // milliseconds). With OnLimit::kWait the prompt waits for it; 0: no limit is known.
  int64_t limited_until_ms = 0;
  std::shared_ptr<const policy::Policy> policy;  // answers dialogs; null: it answers none
  int64_t ask_timeout_ms = 0;  // how long a dialog may wait for a user's answer; kNever: for ever
  std::string agent;           // the agent's name, for the policy's rules
  std::string what_runs = "the agent";  // the agent's name in the verdict
  std::string work_dir;                 // the agent's work directory (absolute), for the policy
  policy::Held held = policy::Held::kNot;
  bool check_calls = false;  // the agent reports its calls before they run: on_call()
  CallsUnread calls_unread = CallsUnread::kEnd;
  GatePlan gates;
  std::shared_ptr<const base::JsonSchema> output_schema = nullptr;  // of the last words; or null
  bool require_changes = false;
  // Once the agent has used this much (tokens in and out together, the same without input that was
  // read from the cache, or USD), it gets no further turn; 0: no limit.
  int64_t max_tokens = 0;
  int64_t max_uncached_tokens = 0;
  double max_cost_usd = 0;
};

// A message from outside of the run (orch send).
struct SendRequest {
  std::string text;
  bool as_command = false;
  bool until_idle = false;  // the report comes when the turn is over, not when it is accepted
  int64_t timeout_ms = 0;   // the message is reported as timed out after this long; 0: never
  std::string from = std::string(event::kFromUser);
  bool awaited = true;  // somebody waits for the report, and must not be kept waiting by a dialog
};

// The outcome of a message from outside.
struct SendReport {
  std::string id;  // "m3"
  DeliveryResult result = DeliveryResult::kAccepted;
  std::string reason;  // one line; "" when it was accepted
  int enters = 0;      // how often Enter was typed
};

// A dialog that waits for a user.
struct WaitingDialog {
  std::string id;  // stays the same while the same dialog is open
  agent::DialogRequest request;
};

// A user's answer to a waiting dialog (orch answer).
struct AnswerRequest {
  std::string dialog;  // the id of the dialog that is meant; "": any dialog that is open
  agent::DialogChoice choice;
  std::vector<agent::DialogChoice> also = {};  // more of them, where options have tick boxes
};
// An answer is given up if it has had no visible effect after this long.
inline constexpr int64_t kLongestAnswerMs = 30'000;

// The actions that the machine asks its owner to carry out, in addition to the driver's commands.
struct StopAgent {
  enum class Manner : uint8_t {
    kPolitely,   // with the keys that make the agent quit
    kTerminate,  // with SIGTERM
    kNow,        // with SIGKILL
  };
  Manner manner = Manner::kPolitely;
};
struct Tell {
  event::Event event;
};
struct Report {  // goes to the sender of the message
  SendReport report;
};
struct RestartAgent {};  // end the agent and start it again, then call on_restart()
struct TellReset {       // goes to the requester of the reset
  enum class How : uint8_t { kCleared, kRestarted };
  How how = How::kCleared;
};
// Goes to the sender of the answer. Ok: the keys were typed, the dialog went, and the agent has
// accepted the words that belong to the answer, if any. An error of kUsage: no key was typed. An
// error of kSystem: the dialog is still open, or the words were not accepted.
struct TellAnswered {
  base::Status outcome;
};
struct FindLimitEnd {};  // look for it on the agent's screen, then call on_limit_end()
struct FindLifeSigns {   // look at the agent's processes, then call on_life_signs()
  int64_t for_ms = 0;    // how long to look
};
struct DecideCall {  // goes to the hook that reported the call
  std::string call;  // ToolCall::id
  agent::CallDecision decision;
};
struct ShowCall {  // a call waits for a user, and so does the agent; or none does any more
  bool waits = false;
};
struct FindChanges {};  // look at the work directory, then call on_changes()
struct RunGate {        // run the command, then call on_gate()
  int n = 0;            // the number that GateEnd must have
  std::string command;
  int64_t timeout_ms = 0;
};
struct EndChecks {};  // stop a running FindChanges or RunGate; its result is not needed any more
using Action = std::variant<agent::Command, StopAgent, Tell, Report, RestartAgent, TellReset,
                            TellAnswered, FindLimitEnd, FindLifeSigns, DecideCall, ShowCall,
                            FindChanges, RunGate, EndChecks>;

// Clocks that go on while the computer is suspended, when the run's own time stands still.
struct Clocks {
  int64_t wall_ms = 0;     // the wall clock, which somebody may set
  int64_t elapsed_ms = 0;  // since some fixed moment, including time in suspend
};

// The logic of one run of one agent. It delivers messages one after the other, counts turns and
// prompts an agent that stopped early to continue. It has dialogs decided, and gives up on dialogs
// that nobody answers. It watches the time limits, has the work checked when the agent says that it
// is done, and decides the verdict. It does not know how to talk to the agent, and does no I/O:
// news go in, actions come out. All times are the run's milliseconds.
class Machine {
 public:
  Machine(RunPlan plan, TimeMs now);
  ~Machine();

  void on_news(TimeMs now, const agent::News& news);
  // Called at next_deadline(). `last_output` is when the agent last wrote output.
  void on_time(TimeMs now, TimeMs last_output);
  // Called after each batch of news. It does the same, except that the run's time limit has no
  // effect yet: this process may have been stopped for a while, so news that came in time may still
  // be on their way.
  void settle(TimeMs now, TimeMs last_output);

  // Queues a message behind the waiting ones, and returns its id. One Report follows.
  std::string send(SendRequest request, TimeMs now);
  // The sender is gone: the message is not sent, unless it was typed already. No Report follows.
  void withdraw(const std::string& id, TimeMs now);

  // Brings the agent back to an empty conversation. Waiting messages stay in the queue, and a run
  // that has a task begins it anew. One TellReset follows, unless the agent ends. An error says why
  // a reset is not possible now.
  base::Status reset(TimeMs now);
  void on_restart(TimeMs now);  // another process of the agent has taken the place of the last

  // A request of the agent was not sent to its model because of this limit: "--max-tokens 4000:
  // 4120 used". The run ends when the turn does, whatever the agent said.
  void on_used_up(std::string limit) { used_up_ = std::move(limit); }
  // A request of the agent is not on the tape that answers in the model's place: the run ends.
  void on_off_tape(std::string why);

  // The call check. A DecideCall follows on_call(), at once where the policy decides, unless
  // on_call_gone() says before that nobody waits for it any more.
  void on_calls_checked();  // the agent's hooks are in force
  void on_call(TimeMs now, agent::ToolCall call);
  void on_call_gone(TimeMs now, const std::string& id);
  // A call may have run that was not read, or not as it ran.
  void on_call_unread(const std::string& why);
  struct CallCounts {
    int decided = 0, denied = 0, asked = 0;
    bool operator==(const CallCounts&) const = default;
  };
  const CallCounts& calls() const { return call_counts_; }

  std::optional<WaitingDialog> waiting_dialog() const;
  // Answers the dialog. One TellAnswered follows within kLongestAnswerMs. After an error
  // (kNotFound: no dialog is open) no key is typed, and no TellAnswered follows.
  base::Status answer(const AnswerRequest& request, TimeMs now);

  // Must be called before each on_limit_end() and on_time().
  void on_clocks(TimeMs now, Clocks clocks);
  // The result of FindLimitEnd: when the limit that the agent has met ends; nullopt: the agent does
  // not say.
  void on_limit_end(std::optional<LimitReset> reset);
  // The result of FindLifeSigns: whether the agent is alive although its terminal is silent;
  // `evidence` is one line.
  void on_life_signs(TimeMs now, bool alive, const std::string& evidence);

  void on_signal(int signum);  // SIGINT or SIGTERM: the first stops the agent, the second kills it
  void on_kill(bool at_once);  // orch kill: with SIGTERM, or at once with SIGKILL
  // orch itself cannot go on. This replaces even a final verdict, and then another Exit is
  // reported.
  void on_failure(std::string detail);
  // The agent's process has ended. The verdict is final after this, unless the work is still to be
  // checked.
  void on_exit(TimeMs now, int code, int signal);

  // The results of FindChanges and RunGate.
  void on_changes(TimeMs now, Changes changes);
  void on_gate(TimeMs now, GateEnd end);

  TimeMs next_deadline() const;
  std::vector<Action> take_actions();
  bool ended() const { return state_ == State::kEnded; }
  const Verdict& verdict() const { return *verdict_; }  // only once ended()
  int turns() const { return turns_; }
  int messages_sent() const { return messages_sent_; }
  const std::string& output() const { return output_; }  // JSON on one line; "" if there is none
  const std::vector<GateEnd>& gates() const { return gates_; }  // all gates that were run
  int fixes() const { return fixes_; }                          // the fix turns that were asked for
  const std::optional<Changes>& changes() const { return facts_.changes; }
  // The usage of all turns together, as far as the agent reports it.
  const std::optional<event::Usage>& usage() const { return usage_; }
  // How much the run still has to do: the messages that wait, plus one if a message is being
  // delivered or has its turn, or if the run waits for a limit to end, resets, has the work checked
  // or stops, plus one for the words of an answer that is being typed. While this is not 0, an
  // agent at its prompt is not at rest.
  int pending() const;
  // Whether a user has interrupted the agent and it rests at its prompt, so that a user must say
  // how to go on. The limits of the run still hold; --idle-timeout does if no user is attached.
  bool waits_for_word() const;
  bool rests_in_background() const;  // its turn is over but for work in the background
  TimeMs background_free_at() const;
  // Whether the run waits until a user answers the open dialog or says how to go on, and the user
  // has time to do that. False if the run ends as soon as the dialog has stood for a moment.
  bool waits_for_person() const;

 private:
  enum class State : uint8_t {
    kDelivering,
    kTurn,
    kResting,
    kLimited,
    kResetting,
    kChecking,  // the agent says that it is done, and its work is being checked
    kStopping,
    kEnded,
  };
  enum class Sender : uint8_t { kRun, kOther };
  struct Outgoing {
    std::string id = {};
    std::string text = {};
    Sender sender = Sender::kRun;
    std::string from = std::string(event::kFromRun);
    bool task = false;  // the message is the run's prompt or role
    bool as_command = false;
    bool until_idle = false;
    bool awaited = false;  // see SendRequest::awaited
    TimeMs queued_at = 0;
    TimeMs give_up_at = kNever;
    int enters = 0;      // how often Enter was typed for it
    bool typed = false;  // it was typed and cannot be taken back any more
    bool told = false;   // its sender has got the Report
  };
  struct OpenDialog {
    std::string id;
    agent::DialogRequest request;
    TimeMs since = 0;       // when the dialog was left to the user
    bool waits = false;     // it waits for the user
    std::string call = {};  // it is orch's own question, about this call; "": it is the agent's
  };
  struct AllowedCall {  // by the user
    agent::DialogRequest request;
    TimeMs at = 0;
  };
  struct OpenAnswer {  // a user's answer that is being typed
    ChosenOptions chosen;
    TimeMs give_up_at = kNever;
    bool typed = false;
  };
  struct AnswerWords {    // the words of a user's answer, sent after its dialog was gone
    std::string message;  // the id of the message that holds them
    TimeMs give_up_at = kNever;
  };
  struct Resumption {                                     // when the run goes on after a limit
    LimitReset::Kind kind = LimitReset::Kind::kDuration;  // which of the Clocks counts
    int64_t at_ms = 0;                                    // the time on that clock
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
  void consider_background(TimeMs now);
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
  bool dialog_stands() const;
  bool asks_about_call() const { return dialog_ && !dialog_->call.empty(); }
  void ask_about_call(TimeMs now);
  bool takes_allowed_call(TimeMs now, const agent::DialogRequest& dialog);
  void decide_call(const agent::ToolCall& call, agent::CallDecision decision);
  void tell_call(TimeMs now, const agent::ToolCall& call, std::string decided, std::string by);
  void answer_call(TimeMs now, const ChosenOptions& chosen);
  void consider_calls(TimeMs now);
  void expect_check(TimeMs now);
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
  void check_output();
  void end_checks(TimeMs now);
  void leave_checks();
  bool is_in_turn() const;
  bool can_fix() const;
  bool has_checks() const {
    return plan_.require_changes || plan_.output_schema || !plan_.gates.commands.empty();
  }
  const Facts& facts();
  void end_run();
  bool is_busy() const;
  void tell(event::Event event);
  void tell_dialog(const agent::DialogRequest& request, std::string answer, std::string by);
  void command(agent::Command command);

  RunPlan plan_;
  std::shared_ptr<const policy::Policy> policy_;
  State state_ = State::kResting;
  std::deque<Outgoing> queue_;
  Outgoing current_;  // the message that is being delivered, or whose turn it is
  std::optional<OpenDialog> dialog_;
  std::optional<OpenAnswer> answer_;   // a user's answer, until the dialog is gone
  std::optional<AnswerWords> words_;   // the words of an answer, until the agent has accepted them
  int dialogs_ = 0;                    // how many dialogs were opened
  std::deque<agent::ToolCall> calls_;  // waiting for the user; asked one after the other
  std::deque<AllowedCall> allowed_by_user_;  // the last ones
  CallCounts call_counts_;
  bool calls_checked_ = false;       // the agent's hooks are in force
  TimeMs check_needed_at_ = kNever;  // by then they have to be
  bool attended_ = false;            // a user who could answer dialogs is there
  // A user interrupted the agent: the run sends no message of its own until the agent has accepted
  // one that somebody sent.
  bool held_ = false;
  std::optional<TimeMs> waits_for_word_since_;
  bool step_waits_ = false;  // the next step waits for the words of an answer to be queued
  Novelty novelty_;
  std::optional<Resumption> resumption_;  // in kLimited, once it is known when the limit ends
  std::optional<Resumption> named_;  // named by a limit's dialog, which closes before the run waits
  Clocks clocks_;                    // at the last on_clocks()
  TimeMs clocks_at_ = 0;             // when that was
  int limits_ = 0;                   // limits that were met since a turn went well
  TimeMs alive_at_ = 0;              // the last sign of life other than output
  TimeMs silent_at_ = kNever;        // when the silence will have lasted too long
  bool looks_for_life_ = false;
  std::vector<Action> actions_;
  std::optional<Verdict> verdict_;
  Facts facts_;                 // some members are out of date; facts() brings them up to date
  std::vector<GateEnd> gates_;  // all gates that were run
  int gates_begun_ = 0;
  int fixes_ = 0;                  // messages that reported a failed gate to the agent
  bool gone_ = false;              // the agent's process has ended
  std::optional<int> agent_code_;  // its exit code, unless a signal ended it

  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  TimeMs started_;
  TimeMs status_since_;
  TimeMs turn_since_ = 0;  // when the last message was accepted
  LastWords last_words_;
  std::string output_;         // the value that fits plan_.output_schema; ""
  Completion completion_;      // for the turn that the last message began
  bool ends_in_tool_ = false;  // that turn ended with a tool, by the agent's own record
  std::optional<event::Usage> usage_;
  std::string used_up_;  // see on_used_up(); ""
  int turns_ = 0;
  int messages_ = 0;  // messages that were queued so far
  int messages_sent_ = 0;
  int interrupts_ = 0;
  bool out_of_time_ = false;  // the run's time limit has passed, which has an effect only once
};

}  // namespace orch::run
