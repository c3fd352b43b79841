#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/hosted_session.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "ui/dialog_prompt.h"
#include "ui/painter.h"
#include "ui/terminal_input.h"

namespace orch::ui {

// A session whose agent's last rows and dialogs are shown on the person's terminal while it runs,
// and whose dialogs the person's keys answer, in the same way as orch answer does.
class LiveSession {
 public:
  // Called from the loop and from members.
  struct Callbacks {
    std::function<void(const std::string& lines)> say;  // a message for the person
    std::function<void()> take_over;
    std::function<void()> on_changed;  // rows() would give others
  };
  LiveSession(loop::Loop& loop, Ink ink, Callbacks callbacks);

  void begin(host::HostedSession& session);  // must live until end()
  void end();

  // The rows to show now; "now" means that they are drawn, and that the person can read them.
  std::vector<std::string> rows();
  void on_keys(std::string_view bytes);  // what was typed while the rows are shown

 private:
  void act(const PromptAction& action);
  void answer(const prompt::Answer& wanted);

  loop::Loop& loop_;
  Ink ink_;
  Callbacks callbacks_;
  host::HostedSession* session_ = nullptr;
  DialogPrompt prompt_;
  InputReader keys_;
  loop::Timer escape_;
  std::vector<std::string> rows_;  // as they were given last
  term::Size window_;              // for which they were made
  int half_frames_ = 0;  // how many frames that the agent had not finished were passed over
};

}  // namespace orch::ui
