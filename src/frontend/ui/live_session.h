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

// Shows the last rows and the dialogs of a session's agent on the user's terminal while it runs.
// The user's keys answer the dialogs, in the same way as orch answer.
class LiveSession {
 public:
  // Called from the loop and from members.
  struct Callbacks {
    std::function<void(const std::string& lines)> say;  // a message for the user
    std::function<void()> take_over;
    std::function<void()> on_changed;  // rows() would return other rows
  };
  LiveSession(loop::Loop& loop, Ink ink, Callbacks callbacks);

  void begin(host::HostedSession& session);  // must live until end()
  void end();

  // The rows to draw now. The caller draws them at once, so that the user can read them.
  std::vector<std::string> rows();
  void on_keys(std::string_view bytes);  // bytes typed while the rows are shown

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
  std::vector<std::string> rows_;  // as last returned
  term::Size window_;              // the window that rows_ were made for
  int half_frames_ = 0;            // how many unfinished frames of the agent were skipped
};

}  // namespace orch::ui
