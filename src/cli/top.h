#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/full_screen.h"
#include "client/find.h"
#include "client/session_watch.h"
#include "ui/painter.h"
#include "ui/top_model.h"

namespace orch::cli {

// `orch top` at a terminal: takes keys to a TopModel, draws it, and does what it wants done. While
// somebody is attached to a session the terminal is that command's.
class Top final : private Show {
 public:
  struct Plan {
    client::Place place;
    bool here = false;  // the sessions of this repository alone
    ui::Ink ink = ui::Ink::kColors;
    std::function<std::vector<std::string>(const std::string& key)> attach;  // its command line
  };
  explicit Top(Plan plan);

  int run();  // the exit code: 0, or 128 and the signal that ended it

 private:
  void draw(ui::Canvas& canvas) override;
  void on_input(const ui::TerminalInput& input) override;
  void on_command_ended(const std::string& trouble) override;

  void act(const ui::TopAction& action);
  void attach(const std::string& key);
  void answer(const ui::top::Answer& wanted);
  void kill(const std::string& key);

  void on_sessions();
  void say(const std::string& message);
  int64_t now_ms() { return screen_.loop().now_ms(); }

  Plan plan_;
  FullScreen screen_;
  client::SessionWatch watch_;
  ui::TopModel model_;
};

}  // namespace orch::cli
