#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detect/dialog.h"
#include "detect/evidence.h"
#include "detect/notice.h"
#include "detect/rules.h"
#include "event/event.h"
#include "term/screen.h"

namespace orch::detect {

// Decides the status of an agent from its screen, its window title and its reports, from the typed
// keys and from the time. It looks at the screen now and then (a sample), applies the rules, and
// confirms a change before it believes it. It owns no clock: every call passes `now`, and the owner
// calls on_timer() when next_deadline() has come. The result does not depend on how the output was
// cut into pieces.
class Detector {
 public:
  // `rules` must outlive the detector. The status is kStarting since `now`.
  Detector(const RuleSet& rules, TimeMs now);

  void on_output(TimeMs now, const term::Screen& screen);  // after the screen was fed
  // `bytes` are written to the terminal; the call may come before or after the write.
  void on_input(TimeMs now, std::string_view bytes);
  void on_resize(TimeMs now);
  void on_notice(TimeMs now, std::string_view text);  // the agent sent a notice: see Notice
  // When on_timer() must be called; kNever if not before another call.
  TimeMs next_deadline() const;

  // Looks at the screen if a sample is due. Returns the new status if it (or its cause) changed.
  std::optional<event::StatusChange> on_timer(TimeMs now, const term::Screen& screen);
  // The agent's process has ended.
  event::StatusChange on_exit();

  event::AgentStatus status() const { return status_; }
  event::Cause cause() const { return cause_; }
  TimeMs since() const { return since_; }  // when the status last changed
  TimeMs last_output() const { return last_output_; }
  // The result of the last look at the screen, confirmed or not. Code that types must consider it.
  const Finding& latest() const { return finding_; }
  const Evidence& evidence() const { return evidence_; }
  const std::optional<Notice>& notice() const { return notice_; }  // the last, if it counts
  const std::optional<Notice>& report() const { return report_; }  // the same
  bool call_waits() const { return call_ == Call::kWaits; }        // see kCallWaits
  const Layout& layout() const { return evidence_.layout(); }
  // The layout that a sample of `screen` would give now; takes no sample.
  Layout layout_of(const term::Screen& screen) const;
  const Rows& rows() const { return evidence_.rows(); }
  const RuleSet& rules() const { return rules_; }
  DialogView dialog() const { return read_dialog(rules_, rows(), layout()); }

  // A status or cause that is seen but not yet believed.
  struct Candidate {
    event::AgentStatus status = event::AgentStatus::kStarting;
    event::Cause cause = event::Cause::kNone;
    TimeMs since = 0;
    int samples = 0;       // consecutive looks that found this status and cause
    TimeMs needed_ms = 0;  // how long the status must hold before it is believed
  };
  const std::optional<Candidate>& candidate() const { return candidate_; }

  struct Counters {
    uint64_t samples = 0, fast_exits = 0, evaluations = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  struct Submitted {  // Enter was typed while the input box held text
    TimeMs at;
    std::string text;   // the text in the box at that moment
    uint64_t reported;  // heard_ at that moment
  };
  struct Answered {  // an answer was typed into a dialog
    TimeMs at;
    std::string screen;  // dialog_signature() at that moment
  };

  std::string dialog_signature() const;
  const NoticeRule* rule_of(std::string_view notice) const;
  void hear_report(TimeMs now, const term::Screen& screen);
  void account_for_gone_dialog(Finding& finding) const;
  void note_awaited(TimeMs now);
  void account_for_notice(TimeMs now, Finding& finding);
  void account_for_report(TimeMs now, Finding& finding);
  void account_for_keys(TimeMs now, Finding& finding);
  void account_for_call(Finding& finding);
  void account_for_model(Finding& finding) const;
  bool continues(const Finding& finding) const;
  std::optional<event::StatusChange> confirm(TimeMs now, const Finding& finding);
  TimeMs needed(const Finding& finding) const;
  event::StatusChange take(TimeMs now, const Finding& finding, int samples, TimeMs first_seen);
  void look_again_at(TimeMs at);
  bool may_look_at_frame(TimeMs now);

  const RuleSet& rules_;
  Evidence evidence_;

  event::AgentStatus status_ = event::AgentStatus::kStarting;
  event::Cause cause_ = event::Cause::kNone;
  TimeMs since_ = 0;
  Finding raw_;      // the finding of the rules alone
  Finding finding_;  // the finding after notices and typed keys were taken into account

  std::optional<Candidate> candidate_;
  std::optional<Submitted> submitted_;
  std::optional<Answered> answered_;
  std::optional<Notice> notice_;
  std::optional<Notice> report_;
  uint64_t heard_ = 0;             // the number of the last report that was heard
  bool reported_at_rest_ = false;  // report_ came while the agent was idle or in error
  // Since when the agent reports work while its screen shows that only work in the background is
  // left; stays set until that is gone.
  std::optional<TimeMs> awaits_since_;
  enum class Call : uint8_t { kNone, kWaits, kGoesOn };
  Call call_ = Call::kNone;   // kGoesOn: one waited until a moment ago
  bool asks_model_ = false;   // see kModelAsked
  bool interrupted_ = false;  // a key interrupted the agent: no turn runs until the next Enter
  std::string box_text_;      // the last text seen in the input box
  bool typed_since_enter_ = false;
  bool typed_ = false;  // a key was typed; before that the agent cannot be working for long

  std::optional<TimeMs> first_output_;  // the first output since the last sample
  TimeMs last_output_ = -1'000'000;
  bool after_quiet_ = false;     // the last output came after quiet_ms without output
  uint64_t sampled_frames_ = 0;  // synchronised frames that had ended at the last look
  TimeMs frame_looks_since_ = 0;
  int frame_looks_ = 0;        // looks at the ends of frames since frame_looks_since_
  TimeMs settle_at_ = kNever;  // when the screen is sampled because of output
  TimeMs again_at_ = kNever;   // when it is sampled for any other reason
  TimeMs motion_at_ = kNever;  // when a condition about motion next changes
  bool stale_ = true;          // the signals may have changed since the last evaluation
  Counters counters_;
};

}  // namespace orch::detect
