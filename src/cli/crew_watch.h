#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/full_screen.h"
#include "client/client.h"
#include "client/session_watch.h"
#include "loop/timer.h"
#include "term/screen.h"
#include "ui/painter.h"
#include "ui/tiles.h"

namespace orch::cli {

// `orch crew status --watch`: shows the live screens of a crew's agents as tiles, with keys to
// attach to one of them. It only watches: its size does not change the agents' terminals. It keeps
// looking for members that do not run.
class CrewWatch final : private Show {
 public:
  struct Member {
    std::string name, role;
    std::string key;  // the session's key
  };
  struct Plan {
    std::string state_dir;
    std::string title;  // "crew demo"
    std::vector<Member> members;
    ui::Ink ink = ui::Ink::kColors;
    // The command line to attach to a session.
    std::function<std::vector<std::string>(const std::string& key)> attach;
  };
  explicit CrewWatch(Plan plan);
  ~CrewWatch() override;

  int run();  // returns the exit code: 0, or 128 + the signal that ended it

 private:
  class View;  // the screen of one member
  void draw(ui::Canvas& canvas) override;
  void on_input(const ui::TerminalInput& input) override;
  void on_command_ended(const std::string& trouble) override;

  void on_key(const std::string& key);
  void move(ui::Direction direction);
  void attach(size_t member);
  void on_sessions();
  void draw_soon();
  void draw_frame();
  void say(const std::string& message);
  std::string foot() const;
  int64_t now_ms() { return screen_.loop().now_ms(); }

  Plan plan_;
  FullScreen screen_;
  client::SessionWatch watch_;
  loop::Timer frame_, message_over_;
  std::vector<std::unique_ptr<View>> views_;  // in the order of plan_.members
  std::vector<ui::Canvas::Area> areas_;       // of the tiles, as drawn last
  std::string message_;
  bool looked_ = false;  // the sessions are known; before, nothing is said of members without one
  size_t selected_ = 0;
  int64_t drawn_at_ms_ = 0;
  int half_frames_ = 0;  // how often drawing was put off since the last time
};

}  // namespace orch::cli
