#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "detect/detector.h"
#include "detect/pattern.h"

namespace orch::run {

using detect::kNever;
using detect::TimeMs;

// What a writer can know of the agent: the newest look at its screen, not the confirmed status.
struct InputView {
  event::AgentStatus status = event::AgentStatus::kStarting;   // confirmed
  event::AgentStatus sighted = event::AgentStatus::kStarting;  // of the newest look
  bool evidence = false;             // that look rests on a rule, not on what was typed
  std::optional<std::string> typed;  // the text in the input box; absent without a box
  bool box_expected = true;          // the agent has an input box that can be recognised
  bool bracketed_paste = false;      // mode 2004
  TimeMs last_output = 0;
};
InputView view_of(const detect::Detector& detector, const term::Screen& screen);

enum class DeliveryResult : uint8_t {
  kAccepted,        // the agent has the message
  kUnconfirmed,     // it was typed, but nothing shows that the agent took it
  kBlocked,         // a dialog or a human's draft is in the way; nothing was typed
  kTimeout,         // the prompt never came; nothing was typed
  kExited,          // the agent ended first
  kWouldBeCommand,  // the agent would take it for a command; nothing was typed
};
std::string_view name(DeliveryResult result);

struct DeliveryRequest {
  std::string text;
  bool first = false;       // the session's first message: start_ms applies
  bool as_command = false;  // a first character that means a command is meant
};

// Gets one message into the agent's input box and sees it taken: gate, stability, text, seen,
// Enter, accepted (DESIGN: "Sending a message"). Pure: the owner calls step() after every look at
// the screen and when next_deadline() has come, and writes what it returns to the terminal as one
// write.
class Delivery {
 public:
  // `spec` and `placeholder` (may be null) must outlive the delivery.
  Delivery(const adapters::InputSpec& spec, const detect::Pattern* placeholder,
           DeliveryRequest request, TimeMs now);

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const InputView& view);
  TimeMs next_deadline() const { return deadline_; }
  std::optional<DeliveryResult> result() const { return result_; }
  const std::string& reason() const {
    return reason_;
  }  // "Prompt detection timeout (10000ms)", ...
  bool typed_anything() const { return typed_; }
  int enters() const { return enters_; }

  void on_exit();  // the agent has ended

 private:
  enum class State : uint8_t {
    kGate,     // waiting for the prompt
    kStable,   // it stands; waiting for it to have stood long enough
    kTyped,    // the text was written; waiting to see it in the box, again after a dialog
    kSeen,     // it is there; waiting before Enter
    kEntered,  // Enter was written; waiting for the box to empty or work to begin
    kDone,
  };

  std::string at_gate(TimeMs now, const InputView& view);
  std::string at_stable(TimeMs now, const InputView& view);
  std::string at_typed(TimeMs now, const InputView& view);
  std::string at_seen(TimeMs now, const InputView& view);
  std::string at_entered(TimeMs now, const InputView& view);
  bool shows_our_text(const std::string& typed) const;
  std::string enter(TimeMs now);
  void go(State state, TimeMs now);
  std::string finish(DeliveryResult result, std::string reason = {});

  const adapters::InputSpec& spec_;
  const detect::Pattern* placeholder_;
  DeliveryRequest request_;
  std::string text_;      // the message, normalised
  std::string squeezed_;  // the text without blanks, to compare with what the box shows
  State state_ = State::kGate;
  TimeMs since_;                         // when the state was entered
  std::optional<TimeMs> waiting_since_;  // at the gate, while the agent was not working
  TimeMs deadline_;
  bool typed_ = false;  // the text was written: never again
  int enters_ = 0;
  std::optional<DeliveryResult> result_;
  std::string reason_;
};

// The message as the agent gets it: CRLF and CR become LF; C0 but tab and LF, DEL and C1 are
// removed; nothing is trimmed.
std::string normalised_message(std::string_view text);

}  // namespace orch::run
