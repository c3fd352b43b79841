#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/manifest.h"
#include "detect/dialog.h"
#include "event/event.h"
#include "run/delivery.h"
#include "run/transcript.h"

namespace orch::run {

enum class Until : uint8_t { kComplete, kIdle, kExit };

// What one run is to do.
struct RunPlan {
  Until until = Until::kComplete;
  std::string prompt;  // empty: nothing is sent
  std::string keyword = "LOOP_COMPLETE";
  int max_turns = 50;
  int64_t timeout_ms = 0;  // of the whole run; 0: none
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
using Action = std::variant<Write, StopAgent, Tell>;

// The logic of one run over one agent: gets the prompt in, counts turns, asks an agent to continue
// that stopped early, gives up on dialogs nobody answers, keeps the deadline and decides the
// verdict. Pure: events in, actions out; all times are the run's milliseconds.
class Machine {
 public:
  // `manifest` must outlive the machine.
  Machine(RunPlan plan, const adapters::Manifest& manifest, TimeMs now);

  // The confirmed status changed. Lines settled before it are told first.
  void on_status(TimeMs now, const event::StatusChange& change);
  void on_line(const Line& line);
  // After every look at the screen, and when next_deadline() has come.
  void on_look(TimeMs now, const InputView& view, const detect::Detector& detector);
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
  int messages_sent() const { return messages_; }

 private:
  enum class State : uint8_t { kDelivering, kTurn, kResting, kStopping, kEnded };

  void send(std::string text, TimeMs now);
  void step_delivery(TimeMs now, const InputView& view);
  void on_accepted(TimeMs now);
  void on_delivery_failed(const Delivery& delivery);
  void consider_turn_end(TimeMs now);
  void on_turn_ended(TimeMs now);
  void consider_dialog(TimeMs now, const detect::Detector& detector);
  void decide(event::ExitReason reason, std::string detail, StopAgent::Manner manner);
  Verdict verdict_of_exit(int code, int signal) const;
  void tell(event::Event event) { actions_.push_back(Tell{std::move(event)}); }

  RunPlan plan_;
  const adapters::Manifest& manifest_;
  std::optional<detect::Pattern> placeholder_;
  State state_ = State::kResting;
  std::optional<Delivery> delivery_;
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
  int messages_ = 0;
  int interrupts_ = 0;
};

}  // namespace orch::run
