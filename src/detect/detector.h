#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/dialog.h"
#include "detect/evidence.h"
#include "detect/notice.h"
#include "detect/rules.h"
#include "event/event.h"
#include "term/screen.h"

namespace orch::detect {

// Decides an agent's status from its screen, title and reports, from what was typed and from time
// alone: sampling, rules, confirmation. It owns no clock: every call says `now`, and the owner
// calls on_timer() when next_deadline() has come. Statuses do not depend on how the output was cut
// into pieces.
class Detector {
 public:
  // `rules` must outlive the detector. It starts in status starting at `now`.
  Detector(const RuleSet& rules, TimeMs now);

  void on_output(TimeMs now, const term::Screen& screen);  // after the screen was fed
  void on_input(TimeMs now, std::string_view bytes);       // before or after they are written
  void on_resize(TimeMs now);
  void on_notice(TimeMs now, std::string_view text);  // what the agent said of itself
  TimeMs next_deadline() const;  // kNever: nothing to do until something happens

  // Looks at the screen if a sample is due. Returns the new status if it (or its cause) changed.
  std::optional<event::StatusChange> on_timer(TimeMs now, const term::Screen& screen);
  // The child is gone.
  event::StatusChange on_exit();

  event::AgentStatus status() const { return status_; }
  event::Cause cause() const { return cause_; }
  TimeMs since() const { return since_; }  // when it took this status
  TimeMs last_output() const { return last_output_; }
  // The newest look, confirmed or not: what a writer must consider.
  const Finding& latest() const { return finding_; }
  const Evidence& evidence() const { return evidence_; }
  const std::optional<Notice>& notice() const { return notice_; }  // the last that still counts
  const Layout& layout() const { return evidence_.layout(); }
  const Rows& rows() const { return evidence_.rows(); }
  const RuleSet& rules() const { return rules_; }
  DialogView dialog() const { return read_dialog(rules_, rows(), layout()); }

  // A status or cause that is seen but not yet believed.
  struct Candidate {
    event::AgentStatus status = event::AgentStatus::kStarting;
    event::Cause cause = event::Cause::kNone;
    TimeMs since = 0;
    int samples = 0;       // looks, one after the other, that found this status and cause
    TimeMs needed_ms = 0;  // how long it must have held
  };
  const std::optional<Candidate>& candidate() const { return candidate_; }

  struct Counters {
    uint64_t samples = 0, fast_exits = 0, evaluations = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  struct Submitted {  // Enter was typed on a filled box
    TimeMs at;
    std::string text;  // what stood in the box
  };
  struct Answered {  // a key was typed into a dialog
    TimeMs at;
    std::string screen;  // the dialog as it stood
  };

  std::string dialog_signature() const;
  void account_for_notice(TimeMs now, Finding& finding);
  void account_for_keys(TimeMs now, Finding& finding);
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
  Finding raw_;      // what the rules say
  Finding finding_;  // ... with notices and typed keys accounted for

  std::optional<Candidate> candidate_;
  std::optional<Submitted> submitted_;
  std::optional<Answered> answered_;
  std::optional<Notice> notice_;
  bool interrupted_ = false;  // by a typed key: until the next Enter no turn runs
  std::string box_text_;      // the last text seen in the box
  bool typed_ = false;        // something was typed: before, nothing can be at work for long

  std::optional<TimeMs> first_output_;  // since the last sample
  TimeMs last_output_ = -1'000'000;
  bool after_quiet_ = false;     // the last output came after quiet
  uint64_t sampled_frames_ = 0;  // synchronised frames that had ended at the last look
  TimeMs frame_looks_since_ = 0;
  int frame_looks_ = 0;  // since then
  TimeMs settle_at_ = kNever;
  TimeMs again_at_ = kNever;
  bool stale_ = true;  // the signals may have changed since the last evaluation
  Counters counters_;
};

}  // namespace orch::detect
