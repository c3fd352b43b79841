#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "detect/detector.h"
#include "event/event.h"
#include "policy/dialog_answer.h"
#include "policy/policy.h"
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
};
DialogLook dialog_look(const detect::Detector& detector, const term::Screen& screen);

// Answers one dialog after another as the policy says: waits until a dialog stands still, decides
// once, types the keys - a write each, each only while the same dialog stands - and sees it go.
// Pure: the owner calls step() after every look at the screen while the agent waits or state() is
// not kNone, and when next_deadline() has come, and writes what it returns as one write.
class DialogDesk {
 public:
  enum class State : uint8_t {
    kNone,        // no dialog
    kReading,     // one is there but has not yet stood long enough
    kAnswering,   // keys are typed, or it is seen to go
    kUnanswered,  // it stays: the policy does not answer it, or the answer did not take
  };

  // `policy` must outlive the desk; work_dir is absolute.
  DialogDesk(const policy::Policy& policy, std::string agent, std::string work_dir);

  // Bytes to write now; empty for none.
  std::string step(TimeMs now, const DialogLook& look);
  TimeMs next_deadline() const { return deadline_; }

  State state() const { return state_; }
  TimeMs since() const { return since_; }  // when it took this state
  // Why a dialog is unanswered, in one line.
  const std::string& reason() const { return reason_; }
  // The decision on the dialog, once; a second time, without an answer, if the answer did not take.
  std::optional<event::Dialog> take_event() { return std::exchange(event_, std::nullopt); }

 private:
  void see(TimeMs now, const DialogLook& look);
  std::string at_none(TimeMs now, const DialogLook& look);
  std::string at_reading(TimeMs now, const DialogLook& look);
  std::string at_answering(TimeMs now, const DialogLook& look);
  std::string at_unanswered(TimeMs now, const DialogLook& look);
  std::string decide(TimeMs now, const DialogLook& look);
  void tell(const DialogLook& look, std::string answer, std::string by);
  std::string go_on(TimeMs now, const DialogLook& look);
  std::string press(TimeMs now, const DialogLook& look, policy::DialogKey key);
  std::string leave(TimeMs now, std::string reason);
  bool is_there() const { return seen_ == decided_; }
  bool is_gone(TimeMs now) const;
  void go(State state, TimeMs now);

  const policy::Policy& policy_;
  std::string agent_, work_dir_;
  State state_ = State::kNone;
  TimeMs since_ = 0;
  TimeMs deadline_ = kNever;
  std::string reason_;
  std::optional<event::Dialog> event_;

  std::string seen_;  // the print of what stands on the screen
  TimeMs seen_since_ = 0;
  std::string decided_;                 // the print of the dialog that was decided
  std::optional<TimeMs> absent_since_;  // it was last seen; nothing while it stands
  size_t option_ = 0;                   // to be chosen
  policy::DialogKey key_ = policy::DialogKey::kUnknown;  // the last one typed
  TimeMs typed_at_ = 0;
  int cursor_before_ = -1;  // the key
  int keys_ = 0;
};

}  // namespace orch::driver
