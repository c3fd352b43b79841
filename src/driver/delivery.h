#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "agent/delivery_result.h"
#include "base/pattern.h"
#include "detect/detector.h"
#include "driver/typed_text.h"

namespace orch::driver {

using base::kNever;
using base::TimeMs;

// What a writer can know of the agent: the newest look at its screen, not the confirmed status.
struct InputView {
  event::AgentStatus status = event::AgentStatus::kStarting;   // confirmed
  event::AgentStatus sighted = event::AgentStatus::kStarting;  // of the newest look
  bool evidence = false;  // that look rests on a rule, not on what was typed
  event::Cause sighted_cause = event::Cause::kNone;
  std::optional<std::string> typed;  // the text in the input box; absent without a box
  int box_rows = 0;                  // of that text, as drawn
  bool box_begins = true;            // the first of them is the text's own; else it has scrolled
  bool box_expected = true;          // the agent has an input box that can be recognised
  bool bracketed_paste = false;      // mode 2004
  bool canonical = false;            // the terminal gathers lines (ICANON), and cuts long ones
  bool keyboard_busy = false;        // somebody else is typing keys
  bool attended = false;             // a person is there who could answer a dialog
  TimeMs last_output = 0;            // of the agent
  std::optional<TimeMs> hand_typed_at = {};  // the last key that somebody else typed
  // What the box holds came of the terminal's replies, which the agent took for typed: no draft.
  bool holds_replies = false;
  // What an earlier Enter has begun may not be drawn yet, a dialog too: nothing is typed.
  bool enter_unseen = false;
};
InputView view_of(const detect::Detector& detector, const term::Screen& screen);

using agent::DeliveryResult;

// Longer than a policy takes to answer a dialog and to see it go.
inline constexpr int64_t kDialogPatienceMs = 5'000;

struct DeliveryRequest {
  std::string text;
  bool first = false;       // the session's first message: start_ms applies
  bool as_command = false;  // a first character that means a command is meant
  // At a dialog: blocked after this long. kNever: whoever owns the dialogs ends this or them.
  TimeMs dialog_patience_ms = kNever;
  TimeMs give_up_at = kNever;  // timed out if nothing was typed by then
  std::string left = {};       // what an earlier delivery left in the box: cleared, no draft
  bool left_unseen = false;    // ... which was not seen there, and may still come into sight
  // Nobody else has typed since then: what the box holds is cleared whatever it looks like, also
  // where no box is to be recognised.
  bool clear_first = false;
  int64_t echo_ms = 0;  // how late an earlier text was seen
  // Typed before the text, on a line of its own, where the text's first character would be a
  // command; empty: such a text is refused.
  std::string lead = {};
};

// Gets one message into the agent's input box and sees it taken: gate, stability, clearing, text,
// seen, Enter, accepted (DESIGN: "Sending a message"). Pure: the owner calls step() after every
// look at the screen and when next_deadline() has come, and writes what it returns to the terminal
// as one write.
//
// What is seen may be old: a terminal far away, or a busy machine, shows it seconds late. So Enter
// is repeated only when something was drawn that must be newer than the Enter before it, and the
// text still stands there.
class Delivery {
 public:
  // `spec` and `placeholder` (may be null) must outlive the delivery.
  Delivery(const adapters::InputSpec& spec, const base::Pattern* placeholder,
           DeliveryRequest request, TimeMs now);

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const InputView& view);
  TimeMs next_deadline() const { return deadline_; }
  std::optional<DeliveryResult> result() const { return result_; }
  const std::string& reason() const {
    return reason_;
  }  // "Prompt detection timeout (10000ms)", ...
  bool typed_anything() const { return typed_at_ != kNever; }
  // Between the first byte typed and the result nobody else may type, but into a dialog.
  bool holds_keyboard() const;
  int enters() const { return enters_; }
  TimeMs typed_at() const { return typed_at_; }  // kNever: not yet
  // From the writing of the text to its being seen in the box: how late all is that the agent
  // draws.
  std::optional<int64_t> echo_ms() const { return echo_ms_; }
  // Whether what its last Enter has begun may not be drawn yet. Who asks after the result goes on
  // to tell it of each look.
  bool enter_is_unseen(TimeMs now) const;
  void follow_output(TimeMs now, const InputView& view);
  // What it has typed and nobody took, as far as is known: for the next one to clear.
  const std::string& text() const { return text_; }

  void on_exit();  // the agent has ended

 private:
  enum class State : uint8_t {
    kGate,     // waiting for the prompt
    kStable,   // it stands; waiting for it to have stood long enough
    kClear,    // removing what was left in the box
    kTyped,    // the text was written; waiting to see it in the box, again after a dialog
    kSeen,     // it is there; waiting before Enter
    kEntered,  // Enter was written; waiting for the box to empty or work to begin
    kDone,
  };

  std::string at_gate(TimeMs now, const InputView& view);
  std::string at_stable(TimeMs now, const InputView& view);
  std::string at_clear(TimeMs now, const InputView& view);
  std::string type(TimeMs now, const InputView& view);
  std::string at_typed(TimeMs now, const InputView& view);
  std::string at_seen(TimeMs now, const InputView& view);
  std::string at_entered(TimeMs now, const InputView& view);
  std::string at_still_shown(TimeMs now, const InputView& view);
  bool may_clear_unseen(const InputView& view) const;
  int64_t known_lag_ms() const;
  int64_t lag_ms() const;
  bool is_newer_than_enter(TimeMs now, const InputView& view) const;
  bool may_be_left(const InputView& view) const;
  bool shows(const TypedText& text, const InputView& view) const;
  TimeMs hand_seen_at(const InputView& view) const;
  bool has_draft(const InputView& view) const;
  bool gives_up(TimeMs now);
  bool is_shown(const InputView& view) const;
  std::string enter(TimeMs now, const InputView& view);
  void go(State state, TimeMs now);
  std::string finish(DeliveryResult result, std::string reason = {});

  const adapters::InputSpec& spec_;
  DeliveryRequest request_;
  std::string text_;  // the message, normalised, behind its lead where it needs one
  TypedText ours_;
  std::optional<TypedText> left_;
  State state_ = State::kGate;
  TimeMs asked_at_;                      // when the delivery began; of a first one with the agent
  TimeMs since_;                         // when the state was entered
  std::optional<TimeMs> waiting_since_;  // at the gate, while the agent was not working
  std::optional<TimeMs> dialog_since_;   // at the gate
  std::optional<TimeMs> taken_since_;    // after Enter, while the agent seems to have taken it
  TimeMs deadline_;
  TimeMs typed_at_ = kNever;           // when the text was written: never again
  TimeMs first_entered_at_ = 0;        // when the first Enter was
  TimeMs entered_at_ = 0;              // ... and the last
  std::optional<TimeMs> newer_since_;  // then the first output came that must be newer than that
  int rows_at_enter_ = 0;              // of the box, then
  std::optional<int64_t> echo_ms_;
  TimeMs last_output_ = 0;
  int64_t silence_ms_ = 0;         // the longest between two outputs since the text was seen
  int64_t dialog_silence_ms_ = 0;  // ... while a dialog stood before it
  bool behind_dialog_ = false;     // a dialog stands between the text and what comes of it
  bool went_on_by_hand_ = false;   // after Enter somebody else wrote behind the text
  int vanished_ = 0;               // how often the text, once seen, was not to be seen before Enter
  int clears_ = 0;
  bool saw_left_ = false;   // what they were typed for
  bool left_came_ = false;  // what was left was seen in the box, before the text was typed
  int enters_ = 0;
  std::optional<DeliveryResult> result_;
  std::string reason_;
};

// The message as the agent gets it: CRLF and CR become LF; C0 but tab and LF, DEL and C1 are
// removed, and byte order marks at its beginning; nothing is trimmed. One that ends in a backslash
// or in an @word gets a blank at its end: Enter would be part of the text, or choose from the list
// of files that the agent offers (measured on claude, codex and gemini, which trim it off again).
std::string normalised_message(std::string_view text);

}  // namespace orch::driver
