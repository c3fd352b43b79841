#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "agent/dialog_request.h"
#include "base/time.h"
#include "detect/detector.h"
#include "driver/dialog_keys.h"
#include "term/screen.h"

namespace orch::driver {

using base::kNever;
using base::TimeMs;

// What the desk can know of a dialog: the newest look at the screen.
struct DialogLook {
  bool waiting = false;  // the agent waits on a dialog: confirmed, and so in the newest look
  event::Cause cause = event::Cause::kNone;
  detect::DialogView dialog;        // what stands at the end of the screen, waiting or not
  bool application_cursor = false;  // mode 1: what the arrow keys send
  bool keyboard_free = true;        // nobody else types
  bool works = false;               // a rule sees the agent at work
};
DialogLook dialog_look(const detect::Detector& detector, const term::Screen& screen);

// Has one dialog after another decided: waits until it stands still, asks its owner once, types the
// keys that choose the option - a write each, each only while the same dialog stands - and sees it
// go. Where a digit was typed and the dialog may be another with the same words, the owner is asked
// again before Enter is typed. Pure: the owner calls step() after every look at the screen while
// the agent waits or state() is not kNone, and when next_deadline() has come, and writes what it
// returns as one write.
class DialogDesk {
 public:
  enum class State : uint8_t {
    kNone,      // no dialog
    kReading,   // one is there but has not yet stood long enough
    kAsked,     // it stands; the owner has not said yet what to choose
    kChoosing,  // keys are typed, or it is seen to go
    kLeft,      // it stays for a person: nobody chose, or the choice did not take
  };

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const DialogLook& look);
  TimeMs next_deadline() const { return deadline_; }
  State state() const { return state_; }

  // The dialog that is to be decided, once; choose() or leave() answers.
  std::optional<agent::DialogRequest> take_request() { return std::exchange(request_, {}); }
  // Chooses one of its options, also of one that was left; the keys come from the steps that
  // follow.
  void choose(TimeMs now, size_t option);
  void leave(TimeMs now) { leave(now, ""); }
  int keys_typed() const { return keys_; }  // for the choice made last

  // Why a dialog is left to a person, in one line, once for each time it happens without the
  // owner's wish: it cannot be read, or the choice did not take.
  std::optional<std::string> take_reason() { return std::exchange(reason_, {}); }

 private:
  void see(TimeMs now, const DialogLook& look);
  std::string at_none(TimeMs now, const DialogLook& look);
  std::string at_reading(TimeMs now, const DialogLook& look);
  std::string at_choosing(TimeMs now, const DialogLook& look);
  std::string at_standing(TimeMs now, const DialogLook& look);
  void ask(TimeMs now, const DialogLook& look, bool complete);
  void ask_again(TimeMs now, const DialogLook& look);
  std::string go_on(TimeMs now, const DialogLook& look);
  DialogKey next(const detect::DialogView& dialog) const;
  std::string press(TimeMs now, const DialogLook& look);
  void leave(TimeMs now, std::string reason);
  bool is_there() const { return seen_ == asked_; }
  bool is_gone(TimeMs now) const { return absent_since_ && now >= gone_at(); }
  TimeMs gone_at() const;  // while it is absent
  void go(State state, TimeMs now);

  State state_ = State::kNone;
  TimeMs since_ = 0;  // when it took this state
  TimeMs deadline_ = kNever;
  std::optional<agent::DialogRequest> request_;
  std::optional<std::string> reason_;

  std::string seen_;  // the print of what stands on the screen
  TimeMs seen_since_ = 0;
  std::string asked_;                    // the print of the dialog that is decided
  std::optional<TimeMs> absent_since_;   // it was last seen; nothing while it stands
  bool worked_ = false;                  // the agent was seen at work since
  bool was_away_ = false;                // for longer than a repaint, since the last key
  size_t option_ = 0;                    // to be chosen
  DialogKey key_ = DialogKey::kUnknown;  // the last one typed
  TimeMs typed_at_ = 0;
  int cursor_before_ = -1;  // the key
  bool asked_again_ = false;
  bool by_arrows_ = false;  // its digit showed nothing: the cursor is moved away and back
  int keys_ = 0;
};

}  // namespace orch::driver
