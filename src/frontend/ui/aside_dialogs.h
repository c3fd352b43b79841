#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "host/hosted_session.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "ui/live_sessions.h"
#include "ui/take_over.h"

namespace orch::ui {

// Asks the user about dialogs on the terminal of standard error while standard output goes
// elsewhere, `| tee log`. Nothing is drawn in place, because others may write on that terminal, and
// keys are read only while a dialog is shown. Where none can be shown, in a pager or a tiny window,
// a line names the command that answers it.
class AsideDialogs {
 public:
  // `say` prints lines on that terminal.
  AsideDialogs(loop::Loop& loop, Ink ink, std::function<void(const std::string& lines)> say);

  void begin(host::HostedSession& session);  // must live until end()
  void end(const host::HostedSession& session);
  void look();  // call it after each event of a session

 private:
  bool someone_waits() const;
  void show(const std::vector<std::string>& rows);
  void name_commands();

  std::function<void(const std::string& lines)> say_;
  LiveSessions dialogs_;
  TakeOver keys_;
  loop::Timer again_;
  std::vector<host::HostedSession*> sessions_;
  std::string shown_;  // the rows printed last, without the keys; "" while no dialog is shown
  std::set<std::string> named_;  // the sessions and dialogs for which a command was named
};

}  // namespace orch::ui
