#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "detect/detector.h"
#include "driver/transcript.h"
#include "event/event.h"
#include "term/screen.h"

namespace orch::driver {

using base::TimeMs;

// The news from one look at the agent.
struct Sighting {
  std::vector<Line> lines;  // lines that settled since the last look; they come before `changes`
  std::vector<event::StatusChange> changes;
};

// Whether the agent begins a new conversation or resumes an earlier one. An agent that resumes a
// conversation draws its old lines again; they are not reported as news.
enum class Conversation : uint8_t { kNew, kResumed };

// All that the terminal of one agent shows: the screen, the status and the transcript, kept in
// step. It does no I/O and has no clock; a live session and the replay of a recording drive it in
// the same way.
class AgentView final : public term::ScrollSink {
 public:
  // `manifest` and `rules` must outlive the view. `speakers` are compiled from the manifest, so
  // that several views can share them; if null, the view compiles its own.
  AgentView(const adapters::Manifest& manifest, const detect::RuleSet& rules, term::Size size,
            TimeMs now, std::shared_ptr<const Speakers> speakers = nullptr,
            Conversation conversation = Conversation::kNew);

  // Takes output of the agent. Returns the terminal's replies to queries in it, which must be
  // written back to the agent at once.
  std::string on_output(TimeMs now, std::string_view bytes);
  void on_input(TimeMs now, std::string_view bytes);
  void on_resize(TimeMs now, term::Size size);
  void on_notice(TimeMs now, std::string_view text);  // from one of the agent's hooks
  void on_covered(int row, int from, int to) { screen_.cover(row, from, to); }
  TimeMs next_deadline() const;
  Sighting on_timer(TimeMs now);
  Sighting on_exit(TimeMs now);  // the last sighting
  // The settled lines if they are too many to wait for the next sighting; otherwise none.
  std::vector<Line> take_flood();
  // Reports all lines that are on the screen and closes the transcript: anything that the agent
  // draws from now on, while it is being stopped, is left out.
  void close_transcript(TimeMs now);

  const term::Screen& screen() const { return screen_; }
  const detect::Detector& detector() const { return detector_; }

 private:
  void on_scrolled_off(const term::Screen& screen, const term::RowView& row) override;
  void on_scrollback_cleared() override;
  void on_frame_ended(const term::Screen& screen) override;

  struct RowKey {
    uint64_t stamp = 0;
    uint64_t key = 0;  // see ShownRows::key(); of when the row had this stamp
  };
  class Shown;

  bool box_stands() const;
  bool prints_lines() const;
  bool nothing_to_look_for();
  int live_top(const detect::Layout& layout) const;
  void look(TimeMs now);
  void look(TimeMs now, const detect::Layout& layout);
  void look_at_last_frame(TimeMs now);
  void settle_rested(TimeMs now);
  void pass_over_earlier(TimeMs now, std::string_view typed);
  bool has_paste(TimeMs now) const;
  std::vector<Line> take_lines();

  const adapters::Manifest& manifest_;
  term::Screen screen_;
  detect::Detector detector_;
  Transcript transcript_;
  TimeMs now_ = 0;                 // the time of the output that is being read
  TimeMs look_at_ = base::kNever;  // when to look for rows that have stopped changing
  bool alternate_ = false;         // the last look saw the alternate screen
  bool rested_ = false;            // the last look left no unreported line
  std::vector<RowKey> keys_;       // of the rows at the last look
  bool had_box_ = false;           // an input box was seen at some time
  bool transcript_open_ = true;
  bool earlier_;                     // the agent still draws the conversation that it resumed
  TimeMs pasted_at_ = base::kNever;  // while it does: a message was pasted into the box
};

}  // namespace orch::driver
