#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/hosted_session.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "pty/guardian.h"
#include "session/session.h"

namespace orch::host {

// How one issue fared.
struct Ended {
  std::string issue;
  int code = 0;
  std::optional<store::RunResult> result;  // absent when it was not started
  std::string why_not;                     // then why
};

// Told by a host what becomes of its sessions; calls come from the loop.
class HostObserver {
 public:
  virtual ~HostObserver() = default;
  virtual std::unique_ptr<session::SessionSink> sink_for(const session::SessionSetup& setup) = 0;
  virtual void on_started(HostedSession& session) = 0;
  virtual void on_ended(const Ended& ended) = 0;
  virtual void on_all_ended() = 0;  // the last call
};

struct HostPlan {
  std::vector<session::SessionSetup> sessions;
  size_t jobs = 0;  // at most so many at a time; 0: all
  std::string socket_folder;
  CrewDesk* crew = nullptr;  // of whose agents the sessions are; outlives the host
};

// The process that owns sessions: starts them, at most so many at a time, makes them reachable,
// reaps what they leave, and has a guardian end it if this process dies. Once a session ends with
// retry_later no further one is started.
class Host {
 public:
  Host(loop::Loop& loop, HostPlan plan, HostObserver& observer);
  ~Host();

  // Becomes the reaper of orphans, and starts what may start. An error: nothing was started.
  base::Status start();
  // Takes another session, and starts it at once; errors are HostedSession::start()'s. Not in a
  // call of the observer's.
  base::Result<HostedSession*> take(session::SessionSetup setup);
  void on_stop_signal(int signum);  // SIGINT or SIGTERM, to every session; the rest is not started
  // What the sessions say cannot be written: they end as orch's own failure, the rest is not
  // started. May be called by the observer.
  void fail(const std::string& why);
  void resize(term::Size size);
  // The reader of what all sessions say is behind: their agents wait until resume_output().
  void pause_output();
  void resume_output();
  bool idle() const { return running_ == 0 && waiting_.empty(); }

 private:
  void start_waiting();
  base::Result<HostedSession*> start_one(session::SessionSetup setup);
  void on_session_ended(size_t slot);
  void part(std::unique_ptr<ControlSocket> socket, const std::string& result_json);
  void skip_waiting(int code, const std::string& why);
  void finish_if_done();

  loop::Loop& loop_;
  HostObserver& observer_;
  size_t jobs_;
  std::string socket_folder_;
  CrewDesk* crew_;
  std::deque<session::SessionSetup> waiting_;
  std::unique_ptr<pty::Guardian> guardian_;
  std::unique_ptr<loop::SignalWatch> orphans_;
  std::vector<std::unique_ptr<HostedSession>> sessions_;  // by slot; empty once ended
  std::vector<std::unique_ptr<ControlSocket>> parting_;   // saying goodbye
  size_t running_ = 0;
  bool output_paused_ = false;
  bool starting_ = false;
  bool finished_ = false;
};

}  // namespace orch::host
