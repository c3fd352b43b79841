#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/manifest.h"
#include "detect/dialog.h"
#include "driver/delivery.h"
#include "driver/dialog_desk.h"
#include "driver/reset.h"
#include "driver/transcript.h"
#include "event/event.h"
#include "policy/policy.h"

namespace orch::run {

using agent::DeliveryResult;
using agent::Line;
using agent::Speaker;
using base::kNever;
using base::TimeMs;
using driver::Delivery;
using driver::DeliveryRequest;
using driver::DialogDesk;
using driver::DialogLook;
using driver::InputView;
using driver::Reset;

enum class Until : uint8_t { kComplete, kIdle, kExit };
enum class OnLimit : uint8_t { kExit, kWait };

// What one run is to do.
struct RunPlan {
  Until until = Until::kComplete;
  std::string prompt;  // empty: nothing is sent
  std::string keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  int64_t timeout_ms = 0;       // of the whole run; 0: none
  int64_t idle_timeout_ms = 0;  // at work without output or another sign of life; 0: none
  OnLimit on_limit = OnLimit::kExit;
  std::shared_ptr<const policy::Policy> policy;  // answers dialogs; null: none is answered
  int64_t ask_timeout_ms = 0;  // how long a dialog may wait for somebody's answer; kNever: for ever
  std::string work_dir;        // the agent's, absolute: what the policy protects
};

// A message from outside of the run (orch send).
struct SendRequest {
  std::string text;
  bool as_command = false;
  bool until_idle = false;  // reported when its turn is over, else when it is accepted
  int64_t timeout_ms = 0;   // reported as timed out after this long; 0: never
};

// What became of it.
struct SendReport {
  std::string id;  // "m3"
  DeliveryResult result = DeliveryResult::kAccepted;
  std::string reason;  // one line; "" when it was accepted
  int enters = 0;      // how often Enter was typed
};

// How a run ended. The exit code is event::exit_code(reason, agent_signal).
struct Verdict {
  event::ExitReason reason = event::ExitReason::kInternal;
  std::string detail;  // one line or the dialog's text; "" when the reason says it all
  std::optional<int> agent_code;
  int agent_signal = 0;
  std::optional<int64_t> retry_after_s;
};
int exit_code(const Verdict& verdict);

// What the owner has to do.
struct Write {
  std::string bytes;  // one write to the terminal
};
struct StopAgent {
  enum class Manner : uint8_t {
    kPolitely,
    kTerminate,
    kNow
  };  // with quit keys, by SIGTERM, by SIGKILL
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
struct FindLimitEnd {};  // what the screen says of it; then on_limit_end()
struct FindLifeSigns {   // of the agent's processes; then on_life_signs()
  int64_t for_ms = 0;    // how long to look
};
using Action = std::variant<Write, StopAgent, Tell, Report, RestartAgent, TellReset, FindLimitEnd,
                            FindLifeSigns>;

// The logic of one run over one agent: gets messages in, one after another, counts turns, asks an
// agent to continue that stopped early, gives up on dialogs nobody answers, keeps the deadline and
// decides the verdict. Pure: events in, actions out; all times are the run's milliseconds.
class Machine {
 public:
  // `manifest` must outlive the machine.
  Machine(RunPlan plan, const adapters::Manifest& manifest, TimeMs now);

  // The confirmed status changed. Lines settled before it are told first.
  void on_status(TimeMs now, const event::StatusChange& change);
  void on_line(const Line& line);
  // After every look at the screen, and when next_deadline() has come.
  void on_look(TimeMs now, const InputView& view, const detect::Detector& detector,
               const term::Screen& screen);
  // Queues a message behind those that wait, and returns its id. A Report follows, once.
  std::string send(SendRequest request, TimeMs now);
  // The sender is gone: what was not typed yet is not sent. Nothing is reported.
  void withdraw(const std::string& id, TimeMs now);

  // Back to an empty conversation; messages that wait go on waiting. TellReset follows, once,
  // unless the agent ends. An error: not now.
  base::Status reset(TimeMs now);
  void on_restart(TimeMs now);  // another process of the agent has taken its place

  // The limit that the agent has met ends in so many seconds; nothing: that is not said.
  void on_limit_end(TimeMs now, std::optional<int64_t> seconds);
  // Whether the agent, whose terminal is silent, is alive all the same; `evidence` is one line.
  void on_life_signs(TimeMs now, bool alive, const std::string& evidence);

  void on_signal(int signum);           // SIGINT, SIGTERM: first politely, then at once
  void on_kill(bool at_once);           // orch kill: SIGTERM and its ladder, or SIGKILL
  void on_failure(std::string detail);  // orch itself cannot go on
  // The agent has ended; the verdict is final after this.
  void on_exit(int code, int signal);

  TimeMs next_deadline() const;
  std::vector<Action> take_actions();
  bool ended() const { return state_ == State::kEnded; }
  const Verdict& verdict() const { return *verdict_; }  // once ended()
  int turns() const { return turns_; }
  int messages_sent() const { return messages_sent_; }
  // A message is being typed: nobody else may type now.
  bool holds_keyboard() const {
    return state_ == State::kResetting || (delivery_ && delivery_->holds_keyboard());
  }

 private:
  enum class State : uint8_t {
    kDelivering,
    kTurn,
    kResting,
    kLimited,
    kResetting,
    kStopping,
    kEnded
  };
  enum class Sender : uint8_t { kRun, kOther };
  struct Outgoing {
    std::string id = {};
    std::string text = {};
    Sender sender = Sender::kRun;
    bool as_command = false;
    bool until_idle = false;
    TimeMs give_up_at = kNever;
    int enters = 0;  // typed for it
  };

  std::string queue(Outgoing message);
  void start_next(TimeMs now);
  void set_aside(std::string_view why);
  void step_reset(TimeMs now, const InputView& view, const term::Screen& screen);
  void step_delivery(TimeMs now, const InputView& view);
  void on_accepted(TimeMs now);
  void on_delivery_failed(const Delivery& delivery);
  void end_for(const Delivery& delivery);
  void report(const Outgoing& message, DeliveryResult result, std::string reason);
  void report_late(TimeMs now);
  void consider_turn_end(TimeMs now);
  void on_turn_ended(TimeMs now);
  void take_next_step(TimeMs now);
  void consider_dialog(TimeMs now, const DialogLook& look);
  void consider_silence(TimeMs now, TimeMs last_output);
  void resume(TimeMs now);
  TimeMs dialog_deadline() const;
  int64_t unseen_turn_ms() const;
  void decide(event::ExitReason reason, std::string detail, StopAgent::Manner manner);
  Verdict verdict_of_exit(int code, int signal) const;
  void tell(event::Event event) { actions_.push_back(Tell{std::move(event)}); }

  RunPlan plan_;
  std::shared_ptr<const policy::Policy> policy_;
  const adapters::Manifest& manifest_;
  std::optional<base::Pattern> placeholder_;
  State state_ = State::kResting;
  DialogDesk desk_;
  std::deque<Outgoing> queue_;
  Outgoing current_;  // that delivery_ is about, or whose turn it is
  std::optional<Delivery> delivery_;
  std::string left_in_box_;  // typed by a delivery that failed
  std::optional<Reset> reset_;
  bool fresh_ = true;                // nothing was typed since the agent's start
  bool dialog_waits_ = false;        // for somebody's answer
  std::optional<TimeMs> resume_at_;  // kLimited: once the limit's end is known
  int limits_ = 0;                   // met since a turn went well
  TimeMs alive_at_ = 0;              // the last sign of life that was no output
  TimeMs silent_at_ = kNever;        // when the silence will have lasted too long
  bool looks_for_life_ = false;
  std::vector<Action> actions_;
  std::optional<Verdict> verdict_;

  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  TimeMs started_;
  TimeMs status_since_;
  TimeMs accepted_at_ = 0;
  bool worked_ = false;    // since the message's first Enter: seen at work, or heard
  bool complete_ = false;  // since then the keyword was said
  int turns_ = 0;
  int messages_ = 0;  // queued
  int messages_sent_ = 0;
  int interrupts_ = 0;
};

}  // namespace orch::run
