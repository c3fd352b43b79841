#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "term/screen.h"
#include "ui/canvas.h"
#include "ui/terminal_input.h"

// A recording played on a terminal: its position, its keys, its drawing. Pure.
namespace orch::ui {

// A change of the agent's status in a recording.
struct StatusMark {
  int64_t ms = 0;     // since the recording's start
  std::string state;  // status and cause, "working/tool"
  std::string rule;   // the rule that decided; "" if none did
};

// The position in a recording that is being played. Times of the recording are milliseconds since
// its start; `now_ms` is the time of any clock.
class ReplayModel {
 public:
  static constexpr int64_t kStepMs = 5'000;  // one press of an arrow key
  static constexpr double kLeastSpeed = 0.1, kMostSpeed = 100;

  // `statuses` are in the order of time.
  ReplayModel(int64_t end_ms, double speed, std::vector<StatusMark> statuses);

  // The player's part in a key; the model itself seeks, pauses and changes the speed.
  enum class Action : uint8_t { kNothing, kLeave, kSuspend };
  Action on_input(const TerminalInput& input, int64_t now_ms);
  void on_time(int64_t now_ms);  // moves to the recording's position at that time
  // Continues from the present position after the player was hidden for a time.
  void on_shown_again(int64_t now_ms) { now_ms_ = now_ms; }

  int64_t position_ms() const { return position_ms_; }
  int64_t end_ms() const { return end_ms_; }
  double speed() const { return speed_; }
  bool paused() const { return paused_; }
  bool at_end() const { return position_ms_ == end_ms_; }
  const std::vector<StatusMark>& statuses() const { return statuses_; }
  // The index of the agent's present status; nullopt before the first.
  std::optional<size_t> current() const;

 private:
  void seek(int64_t ms);
  void seek_status(int by);

  int64_t end_ms_;
  double speed_;
  std::vector<StatusMark> statuses_;
  int64_t position_ms_ = 0;
  double rest_ms_ = 0;  // the fraction of a millisecond that the position leaves out
  int64_t now_ms_ = 0;  // when the position was true
  bool paused_ = false;
};

// The layout of the window: the agent's screen in the upper left corner, the statuses next to it if
// the window is wide enough, otherwise below it if it is high enough, and the foot.
struct ReplayLayout {
  Canvas::Area screen, statuses;  // statuses: empty without room for them
  int foot = 0;                   // the row
};
ReplayLayout replay_layout(term::Size window, term::Size screen);

// Draws on a blank canvas of the window's size.
void draw_replay(const ReplayModel& model, const term::Screen& screen, Canvas& canvas);

}  // namespace orch::ui
