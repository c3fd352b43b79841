#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/dialog_request.h"
#include "base/time.h"
#include "detect/detector.h"
#include "driver/dialog_keys.h"
#include "term/screen.h"

namespace orch::driver {

using base::kNever;
using base::TimeMs;

// The dialog as the last look at the screen shows it.
struct DialogLook {
  bool waiting = false;  // the agent waits at a dialog: confirmed, and still so at the last look
  event::Cause cause = event::Cause::kNone;
  detect::DialogView dialog;        // the dialog at the end of the screen, if any, waiting or not
  bool application_cursor = false;  // mode 1, which decides the bytes of the arrow keys
  bool keyboard_free = true;        // nobody else types
  bool works = false;               // a rule finds the agent working
  int rows = 0;                     // of the screen
  bool resizable = false;           // the owner makes the screen higher if wanted_rows() says so
};
DialogLook dialog_look(const detect::Detector& detector, const term::Screen& screen);

// Gets the agent's dialogs decided, one after the other. It waits until a dialog stands still, asks
// its owner once what to choose, types the keys for that option and waits until the dialog is gone.
// Each key is a write of its own and is typed only while the same dialog is on the screen. If,
// after a digit, the dialog may have become another one with the same words, the owner is asked
// again before Enter is typed. A dialog that the screen has too few rows for is read on a higher
// one first. It does no I/O: the owner calls step() after every look at the screen (while the agent
// waits or state() is not kNone) and when next_deadline() has come, and writes the bytes that
// step() returns in one write.
class DialogDesk {
 public:
  enum class State : uint8_t {
    kNone,      // no dialog
    kReading,   // a dialog is there but has not stood still long enough
    kAsked,     // the owner was asked and has not answered yet
    kChoosing,  // keys are being typed, or the dialog is expected to go
    kLeft,      // left to the user: nobody chose, or the choice had no effect
  };

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const DialogLook& look);
  TimeMs next_deadline() const { return deadline_; }
  State state() const { return state_; }
  // How many rows the screen should have until the dialog is gone; nullopt: as many as it has.
  std::optional<int> wanted_rows() const { return wanted_rows_; }

  // The dialog that must be decided; each is returned once. The owner answers with choose() or
  // leave().
  std::optional<agent::DialogRequest> take_request() { return std::exchange(request_, {}); }
  // Chooses options of the dialog (as in agent::Answer), even if the dialog was left before. The
  // following steps return the keys.
  void choose(TimeMs now, std::vector<size_t> options);
  void leave(TimeMs now) { leave(now, ""); }
  int keys_typed() const { return keys_; }  // for the last choice

  // Why the dialog is left to the user although the owner did not want that, in one line; each
  // reason is returned once. Either the dialog cannot be read or the choice had no effect.
  std::optional<std::string> take_reason() { return std::exchange(reason_, {}); }

 private:
  void see(TimeMs now, const DialogLook& look);
  std::string at_none(TimeMs now, const DialogLook& look);
  std::string at_reading(TimeMs now, const DialogLook& look);
  bool wants_higher(TimeMs now, const DialogLook& look);
  std::string at_choosing(TimeMs now, const DialogLook& look);
  std::string at_standing(TimeMs now, const DialogLook& look);
  void ask(TimeMs now, const DialogLook& look, bool complete);
  void ask_again(TimeMs now, const DialogLook& look);
  std::string go_on(TimeMs now, const DialogLook& look);
  DialogKey next(const detect::DialogView& dialog) const;
  bool is_on_option(const detect::DialogView& dialog) const;
  std::string press(TimeMs now, const DialogLook& look);
  void leave(TimeMs now, std::string reason);
  bool is_there() const { return seen_ == asked_; }
  bool is_gone(TimeMs now) const { return absent_since_ && now >= gone_at(); }
  TimeMs gone_at() const;  // when an absent dialog counts as gone; only while absent_since_ is set
  void go(State state, TimeMs now);

  State state_ = State::kNone;
  TimeMs since_ = 0;  // when the state was entered
  TimeMs deadline_ = kNever;
  std::optional<agent::DialogRequest> request_;
  std::optional<std::string> reason_;
  std::optional<int> wanted_rows_;
  TimeMs higher_at_ = 0;  // when wanted_rows_ was last raised

  std::string seen_;  // the fingerprint of the dialog on the screen now
  TimeMs seen_since_ = 0;
  std::string asked_;                   // the fingerprint of the dialog that the owner decides
  std::optional<TimeMs> absent_since_;  // since when that dialog is not on the screen
  bool worked_ = false;                 // the agent was seen working during that absence
  bool was_away_ = false;               // absent for longer than a repaint since the last key
  std::vector<size_t> options_;         // the options to choose
  bool ticks_ = false;                  // they are to be ticked, and then submitted
  std::vector<std::optional<bool>> asked_ticks_;  // the tick boxes when the owner was asked
  DialogKey key_ = DialogKey::kUnknown;           // the last key typed
  TimeMs typed_at_ = 0;
  int cursor_before_ = -1;                         // the cursor_place() before the last key
  std::vector<std::optional<bool>> ticks_before_;  // the tick boxes before the last key
  bool asked_again_ = false;
  bool by_arrows_ = false;  // the key had no effect: the cursor is moved away and back
  int keys_ = 0;
};

}  // namespace orch::driver
