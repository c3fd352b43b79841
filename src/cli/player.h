#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/full_screen.h"
#include "loop/timer.h"
#include "mask/secrets.h"
#include "setup/coming_secrets.h"
#include "store/cast_reader.h"
#include "ui/painter.h"
#include "ui/replay_model.h"

namespace orch::cli {

// `orch replay` on a terminal: plays a recording as its agent's terminal showed it, with secrets
// covered. The file is read again from its start to go back.
class Player final : private Show {
 public:
  struct Plan {
    std::string path;  // a regular file
    double speed = 1;
    int64_t end_ms = 0;  // the length of the recording
    std::vector<ui::StatusMark> statuses;
    std::shared_ptr<const mask::Secrets> secrets;
    ui::Ink ink = ui::Ink::kColors;
  };
  // The terminal must be ours (UserTerminal::is_ours()).
  explicit Player(Plan plan);

  int run();  // returns the exit code

 private:
  void draw(ui::Canvas& canvas) override;
  void on_input(const ui::TerminalInput& input) override;
  void on_command_ended(const std::string&) override {}
  void on_tick();
  base::Status open();
  void play_to(int64_t ms);
  int64_t now_ms() { return screen_.loop().now_ms(); }

  Plan plan_;
  FullScreen screen_;
  loop::Timer tick_;
  ui::ReplayModel model_;
  setup::ComingSecrets coming_;
  std::optional<store::CastReader> cast_;
  const store::CastEvent* next_ = nullptr;  // the event to play next; nullptr after the last
  std::optional<term::Screen> agent_;       // as it stands at played_ms_, with its secrets
  int64_t played_ms_ = 0;
};

}  // namespace orch::cli
