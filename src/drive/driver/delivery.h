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

// The state of the agent's input, for code that is about to type: above all the last look at the
// screen, which may be ahead of the confirmed status.
struct InputView {
  event::AgentStatus status = event::AgentStatus::kStarting;   // the confirmed status
  event::AgentStatus sighted = event::AgentStatus::kStarting;  // the status at the last look
  bool evidence = false;  // a rule found `sighted`; it was not inferred from typed keys or a notice
  event::Cause sighted_cause = event::Cause::kNone;
  std::optional<std::string> typed;  // the text in the input box; absent without a box
  // The rows of a footer (BoxSpec::footer), or the end of the text in a box that has no room for a
  // footer.
  std::string below = {};
  int box_rows = 0;              // rows of the text in the box, as drawn
  bool box_begins = true;        // the box shows the beginning of its text: it has not scrolled
  bool box_expected = true;      // the agent has an input box that the rules can recognise
  bool bracketed_paste = false;  // mode 2004
  bool canonical = false;        // the tty reads whole lines (ICANON) and cuts long ones
  bool keyboard_busy = false;    // somebody else is typing
  bool attended = false;         // a user who could answer a dialog is there
  bool resizable = false;        // the terminal may be made higher for a while
  bool started = false;          // no dialog of the agent's start follows (InputSpec::started)
  TimeMs last_output = 0;        // when the agent last wrote output
  std::optional<TimeMs> hand_typed_at = {};  // when somebody else last typed a key
  // The text in the box is not a draft: the agent took replies of the terminal for typed keys.
  bool holds_replies = false;
  // The effect of an earlier Enter, which may be a dialog, may not be drawn yet, so nothing may be
  // typed.
  bool enter_unseen = false;
};
// Without `below`, which only a delivery needs.
InputView view_of(const detect::Detector& detector, const term::Screen& screen);
std::string below_box(const detect::Detector& detector);  // InputView::below

using agent::DeliveryResult;

struct DeliveryRequest {
  std::string text;
  bool first = false;       // the first message of the session: InputSpec::start_ms applies
  bool as_command = false;  // the text is meant as a command if its first character makes it one
  // If a dialog is open for this long, the delivery fails as blocked. kNever: it waits until the
  // owner ends the dialog or the delivery.
  TimeMs dialog_patience_ms = kNever;
  TimeMs give_up_at = kNever;  // it fails with a timeout if nothing was typed by this moment
  std::string left = {};       // text that an earlier delivery left in the box; it is cleared away
  bool left_unseen = false;    // that text was never seen in the box, and may still appear there
  // Nobody else has typed since `left` was, so the box is cleared whatever it seems to hold, even
  // if no box can be recognised.
  bool clear_first = false;
  int64_t echo_ms = 0;  // how long an earlier text took to appear in the box
  // A line that is typed before the text if the agent would otherwise take the text for a command;
  // if it is empty, a text like that is refused.
  std::string lead = {};
};

// Delivers one message: it waits for the prompt, lets the prompt stand for a while, clears the
// input box, types the text, waits until the text is seen in the box, types Enter and waits until
// the agent has taken the message. It does no I/O: the owner calls step() after every look at the
// screen and when next_deadline() has come, and writes the bytes that step() returns to the
// terminal in one write.
//
// The screen may lag behind: with a remote terminal or a busy machine, output comes seconds late.
// So Enter is repeated only if output that must be newer than the last Enter still shows the text
// in the box.
class Delivery {
 public:
  // `spec` and `placeholder` must outlive the delivery; `placeholder` may be null.
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
  // Whether nobody else may type now: from the first byte typed to the result, except while a
  // dialog is open.
  bool holds_keyboard() const;
  int enters() const { return enters_; }
  TimeMs typed_at() const { return typed_at_; }  // kNever: not yet
  // How long the text took to appear in the box, a measure of the screen's lag; nullopt if the text
  // has not been seen.
  std::optional<int64_t> echo_ms() const { return echo_ms_; }
  // Whether the effect of the last Enter may not be drawn yet. An owner that still asks this after
  // the result must call follow_output() at each look.
  bool enter_is_unseen(TimeMs now) const;
  void follow_output(TimeMs now, const InputView& view);
  // The text that is typed. If the delivery fails, the text may still be in the box, and the next
  // delivery has to clear it.
  const std::string& text() const { return text_; }

  void on_exit();  // the agent's process has ended

 private:
  enum class State : uint8_t {
    kGate,     // waiting for the prompt
    kStable,   // the prompt is there; waiting until it has stood long enough
    kClear,    // removing old text from the box
    kTyped,    // the text was written; waiting to see it in the box, again after a dialog
    kSeen,     // the text is in the box; waiting before Enter
    kEntered,  // Enter was written; waiting for the box to become empty or for work to begin
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
  int64_t stability_ms(const InputView& view) const;
  int64_t known_lag_ms() const;
  int64_t lag_ms() const;
  bool is_newer_than_enter(TimeMs now, const InputView& view) const;
  bool may_be_left(const InputView& view) const;
  bool shows(const TypedText& text, const InputView& view) const;
  bool shows_among(const TypedText& text, const InputView& view) const;
  std::string at_no_work(TimeMs now);
  TimeMs hand_seen_at(const InputView& view) const;
  bool has_draft(const InputView& view) const;
  bool gives_up(TimeMs now);
  bool is_shown(const InputView& view) const;
  std::string enter(TimeMs now, const InputView& view);
  void go(State state, TimeMs now);
  std::string finish(DeliveryResult result, std::string reason = {});

  const adapters::InputSpec& spec_;
  DeliveryRequest request_;
  std::string text_;  // the normalised message, with its lead if it needs one
  TypedText ours_;
  std::optional<TypedText> left_;
  State state_ = State::kGate;
  TimeMs asked_at_;                      // when the delivery began
  TimeMs since_;                         // when the state was entered
  std::optional<TimeMs> waiting_since_;  // since when it waits at the gate with the agent at rest
  std::optional<TimeMs> dialog_since_;   // since when it waits at the gate for a dialog to end
  std::optional<TimeMs> taken_since_;    // since when the agent seems to have taken the message
  std::string before_;                   // the text in a guessed box before anything was typed
  TimeMs deadline_;
  TimeMs typed_at_ = kNever;           // when the text was written, which happens only once
  TimeMs first_entered_at_ = 0;        // when the first Enter was written
  TimeMs entered_at_ = 0;              // when the last Enter was written
  std::optional<TimeMs> newer_since_;  // when output came that must be newer than the last Enter
  int rows_at_enter_ = 0;              // rows of the box at the last Enter
  std::optional<int64_t> echo_ms_;
  TimeMs last_output_ = 0;
  int64_t silence_ms_ = 0;         // the longest pause between two outputs since the text was seen
  int64_t dialog_silence_ms_ = 0;  // the same while a dialog was open
  bool behind_dialog_ = false;     // a dialog is open, so the text and its effect cannot be seen
  bool went_on_by_hand_ = false;   // somebody else typed more text into the box
  int vanished_ = 0;               // how often the text disappeared from the box before Enter
  int clears_ = 0;                 // how often the keys that clear the box were typed
  bool saw_left_ = false;          // the text to be cleared was seen in the box
  bool left_came_ = false;         // the text in `left_` was seen before ours was typed
  int enters_ = 0;
  std::optional<DeliveryResult> result_;
  std::string reason_;
};

// The message as the agent gets it. CRLF and CR become LF. Control characters (C0 except tab and
// LF, DEL, C1) and byte order marks at the beginning are removed; nothing is trimmed. A message
// that ends in a backslash or in an @word gets a blank at its end, because otherwise Enter would
// become part of the text, or would choose from the list of files that the agent offers (measured
// on claude, codex and gemini, which trim the blank off again).
std::string normalised_message(std::string_view text);

}  // namespace orch::driver
