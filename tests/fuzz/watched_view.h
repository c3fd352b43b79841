#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/agent_view.h"

// An AgentView whose results are all checked against the promises of its headers; a broken promise
// aborts. It runs timers as a replay does: those that are due before an event, before the event.
class WatchedView {
 public:
  using TimeMs = orch::base::TimeMs;
  struct Told {
    std::vector<std::pair<TimeMs, orch::event::StatusChange>> changes;
    std::vector<orch::agent::Line> lines;
    // Whether a piece of output ended on an alternate screen that is drawn without synchronised
    // frames. Such a screen is looked at after each piece, so that the lines may depend on the cut.
    bool by_piece = false;
  };

  // `manifest` and `rules` must outlive the view.
  WatchedView(const orch::adapters::Manifest& manifest, const orch::detect::RuleSet& rules,
              orch::term::Size size);

  void wait(TimeMs ms);   // timers run when they are due
  void sleep(TimeMs ms);  // the owner is late: no timer runs before the next event
  // Gives the bytes to the view at one moment, in pieces of `piece` bytes; 0: in one piece.
  void output(std::string_view bytes, size_t piece);
  void input(std::string_view bytes);
  void notice(std::string_view text);
  void resize(orch::term::Size size);
  void close_transcript() { view_.close_transcript(now_); }
  // There is no more output: checks that the timers come to an end soon, then lets the agent exit.
  void exit();

  const Told& told() const { return told_; }

 private:
  void run_timer(TimeMs at);
  void keep(orch::driver::Sighting sighting);
  void keep(const orch::event::StatusChange& change);
  void check_early_timer();
  void check_layout() const;

  orch::driver::AgentView view_;
  TimeMs now_ = 0;
  bool exited_ = false;
  orch::event::AgentStatus status_ = orch::event::AgentStatus::kStarting;
  orch::event::Cause cause_ = orch::event::Cause::kNone;
  Told told_;
};
