#pragma once

#include <cstdint>
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

// Shows the dialogs of the sessions that run, and the last rows of a single session's agent, on the
// user's terminal. The user's keys answer the dialogs, in the same way as orch answer.
class LiveSessions {
 public:
  // Called from the loop and from members.
  struct Callbacks {
    std::function<void(const std::string& lines)> say;  // a message for the user
    std::function<void(host::HostedSession& session)> take_over;
    std::function<void()> on_changed;  // rows() would return other rows
  };
  enum class Place : uint8_t {
    kSingle,  // there is one session, and its agent's rows are shown, too
    kBatch,
    kAside,  // where no session can be taken over
  };
  LiveSessions(loop::Loop& loop, Ink ink, Place place, Callbacks callbacks);

  void begin(host::HostedSession& session);  // must live until end()
  void end(const host::HostedSession& session);

  // The rows to draw now. The caller draws them at once, so that the user can read them.
  std::vector<std::string> rows();
  void on_keys(std::string_view bytes);  // bytes typed while the rows are shown
  // The session whose dialog was drawn last; nullptr without one.
  host::HostedSession* asking() const;

 private:
  host::HostedSession* named(const std::string& name) const;
  void act(const PromptAction& action);
  void answer(const prompt::Answer& wanted);

  loop::Loop& loop_;
  Ink ink_;
  Place place_;
  Callbacks callbacks_;
  std::vector<host::HostedSession*> sessions_;
  DialogPrompt prompt_;
  InputReader keys_;
  loop::Timer escape_;
  std::vector<std::string> rows_;  // as last returned
  term::Size window_;              // the window that rows_ were made for
  int half_frames_ = 0;            // how many unfinished frames of the agent were skipped
};

}  // namespace orch::ui
