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

// The agents of a crew at a terminal, all at once: their live screens as tiles, and a key to get to
// one of them. It only looks: agents neither see it nor take their size from it, and a member that
// does not run is looked for until it does.
class CrewWatch final : private Show {
 public:
  struct Member {
    std::string name, role;
    std::string key;  // of its session
  };
  struct Plan {
    std::string state_dir;
    std::string title;  // "crew demo"
    std::vector<Member> members;
    ui::Ink ink = ui::Ink::kColors;
    std::function<std::vector<std::string>(const std::string& key)> attach;  // its command line
  };
  explicit CrewWatch(Plan plan);
  ~CrewWatch() override;

  int run();  // the exit code: 0, or 128 and the signal that ended it

 private:
  class View;  // of one member's session
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
  std::vector<std::unique_ptr<View>> views_;  // as plan_.members
  std::vector<ui::Canvas::Area> areas_;       // as drawn last
  std::string message_;
  bool looked_ = false;  // for the members' sessions
  size_t selected_ = 0;
  int64_t drawn_at_ms_ = 0;
  int half_frames_ = 0;  // looked at since the last whole one
};

}  // namespace orch::cli
