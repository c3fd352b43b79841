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

// `orch top` on a terminal: gives keys to a TopModel, draws the model and carries out its actions.
// While the user is attached to a session, the terminal belongs to that command.
class Top final : private Show {
 public:
  struct Plan {
    client::Place place;
    bool here = false;  // only the sessions of this repository
    ui::Ink ink = ui::Ink::kColors;
    // The command line to attach to a session.
    std::function<std::vector<std::string>(const std::string& key)> attach;
  };
  explicit Top(Plan plan);

  int run();  // returns the exit code: 0, or 128 + the signal that ended it

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
