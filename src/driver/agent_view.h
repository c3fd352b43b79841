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

// What one look at the agent brought.
struct Sighting {
  std::vector<Line> lines;  // settled since the last one, in order; before `changes`
  std::vector<event::StatusChange> changes;
};

// Whether the agent begins a conversation or goes on with an earlier one, which it draws again:
// that is no news.
enum class Conversation : uint8_t { kNew, kResumed };

// Everything that is known of one agent from its terminal: the screen, the status and the
// transcript, kept in step. Pure; the live session and the replay of a recording drive it alike.
class AgentView final : public term::ScrollSink {
 public:
  // Both must outlive the view. `speakers` are the manifest's; null: it makes its own.
  AgentView(const adapters::Manifest& manifest, const detect::RuleSet& rules, term::Size size,
            TimeMs now, std::shared_ptr<const Speakers> speakers = nullptr,
            Conversation conversation = Conversation::kNew);

  // The agent's output. Returns what must be written back to it at once.
  std::string on_output(TimeMs now, std::string_view bytes);
  void on_input(TimeMs now, std::string_view bytes);
  void on_resize(TimeMs now, term::Size size);
  void on_notice(TimeMs now, std::string_view text);  // from one of the agent's hooks
  void on_covered(int row, int from, int to) { screen_.cover(row, from, to); }
  TimeMs next_deadline() const;
  Sighting on_timer(TimeMs now);
  Sighting on_exit(TimeMs now);  // the last one
  // The lines of a flood: they are more than should wait for the next sighting. Else none.
  std::vector<Line> take_flood();
  // What stands on the screen is told; what the agent draws from here on, being told to leave, is
  // no part of the transcript.
  void close_transcript(TimeMs now);

  const term::Screen& screen() const { return screen_; }
  const detect::Detector& detector() const { return detector_; }

 private:
  void on_scrolled_off(const term::Screen& screen, const term::RowView& row) override;
  void on_scrollback_cleared() override;
  void on_frame_ended(const term::Screen& screen) override;

  bool box_stands() const;
  int live_top() const;
  void look(TimeMs now);
  void settle_rested(TimeMs now);
  void pass_over_earlier(TimeMs now, std::string_view typed);
  std::vector<Line> take_lines();

  const adapters::Manifest& manifest_;
  term::Screen screen_;
  detect::Detector detector_;
  Transcript transcript_;
  TimeMs now_ = 0;                 // of the output being read
  TimeMs look_at_ = base::kNever;  // for rows that have come to rest
  bool alternate_ = false;         // the screen that was looked at last
  bool transcript_open_ = true;
  bool earlier_;  // what is drawn was said before the agent's start
};

}  // namespace orch::driver
