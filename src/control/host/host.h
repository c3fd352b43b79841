#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/connection_room.h"
#include "host/heap.h"
#include "host/hosted_session.h"
#include "host/worktree_desk.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "pty/guardian.h"
#include "session/session.h"

namespace orch::host {

// How the session of one issue has ended.
struct Ended {
  std::string issue;
  int code = 0;
  std::optional<store::RunResult> result;  // absent: it was not started, so it has no record,
  std::string why_not;                     // and this says why
};

// Receives the events of a host's sessions; calls come from the loop.
class HostObserver {
 public:
  virtual ~HostObserver() = default;
  virtual std::unique_ptr<session::SessionSink> sink_for(const session::SessionSetup& setup) = 0;
  virtual void on_started(HostedSession& session) = 0;
  // The system has no room for one more session, so this one waits until another session of this
  // host has ended. Called once in all.
  virtual void on_put_off(const std::string& /*issue*/, const std::string& /*why*/) {}
  // The session waits for a user. Its slot while it does:
  enum class Slot : uint8_t {
    kUnwanted,  // no other session waits for a slot
    kGivenUp,   // another session may have it
    kKept,      // the session keeps it: too many others wait without a slot already
  };
  virtual void on_waits_for_person(HostedSession& /*session*/, Slot /*slot*/) {}
  virtual void on_ended(const Ended& ended) = 0;
  virtual void on_all_ended() = 0;  // the last call
};

struct HostPlan {
  std::vector<session::SessionSetup> sessions;
  size_t jobs = 0;  // how many may run at a time; 0: all
  std::string socket_folder;
  CrewDesk* crew = nullptr;  // the crew that the sessions' agents belong to; outlives the host
  // Called from the loop: a session's worktree was made, and the session starts in it next.
  std::function<void(session::SessionSetup&)> on_worktree = nullptr;
  // Called once, perhaps in Host::start(): as many sessions as may run at once have started, or
  // could not.
  std::function<void()> on_begun = nullptr;
};

// The process that owns sessions: starts them, at most `jobs` at a time, serves their sockets,
// reaps the processes that they leave, and has a guardian end them if this process dies. Once a
// session ends with retry_later, no further one is started.
//
// A session's worktree is made when its turn comes, and removed again if the session was not
// started. If the system lacks descriptors, processes or memory for a session, it waits for the end
// of another one, or until the peers of one that has ended are gone. Peers get only the descriptors
// that the sessions do not need. Waiting sessions are listed for other processes, which may take
// them out of the queue (store/queued_session.h). A session that waits for a user gives its slot to
// another one; once it is answered it goes on at once, so that more than `jobs` may be at work for
// a time.
class Host {
 public:
  Host(loop::Loop& loop, HostPlan plan, HostObserver& observer);
  ~Host();

  // Becomes the subreaper of orphans, and starts the first sessions. An error: nothing was started.
  base::Status start();
  // Takes another session, and starts it at once; errors are HostedSession::start()'s. Not to be
  // called from inside a call to the observer.
  base::Result<HostedSession*> take(session::SessionSetup setup);
  // hold(): sessions are still to come by take(), so the host does not end with the last of the
  // others before each hold() was followed by a release(), which may call the observer.
  void hold() { ++held_; }
  // Sessions that are still to come wait in the queue of this state directory: if this process
  // dies, its guardian empties the queue.
  void guard_queue(const std::string& state_dir);
  void release();
  // SIGINT or SIGTERM, for every session; waiting ones are not started.
  void on_stop_signal(int signum);
  // The output of the sessions cannot be written: they end as a failure of orch, and no further one
  // is started. May be called by the observer.
  void fail(const std::string& why);
  void resize(term::Size size);
  // The agent of all sessions, waiting ones included, turned out to have this version.
  void take_agent_version(const std::string& version);
  // The reader of the sessions' output cannot keep up: the agents have to wait until
  // resume_output().
  void pause_output();
  void resume_output();
  // How many sessions wait for a slot.
  size_t waiting() const { return waiting_.size(); }
  bool idle() const {
    return running_ == 0 && waiting_.empty() && !opening_ && leaving_ == 0 && held_ == 0;
  }

 private:
  // Why the session whose worktree is being made must not start any more.
  struct Refusal {
    int code = 0;
    std::string why;
  };
  struct Opening {
    session::SessionSetup setup;
    std::optional<Refusal> refusal;
  };
  void start_waiting();
  void queue_some();
  void put_in_queue(session::SessionSetup& setup);
  bool was_taken(const session::SessionSetup& setup);
  void forget(const session::SessionSetup& setup) const;
  bool has_room() const { return !opening_ && running_ - without_slot() < jobs_; }
  size_t asking() const;
  int free_number() const;
  size_t most_without_slot() const;
  size_t without_slot() const { return std::min(asking(), most_without_slot()); }
  void on_person_change(HostedSession& session);
  void open_worktree_of(session::SessionSetup setup);
  void on_opened(base::Result<repo::Worktree> worktree);
  bool begin(session::SessionSetup setup);
  void limit_connections(size_t most_at_once);
  bool may_get_room() const { return running_ > 0 || !parting_.empty(); }
  bool lacks_descriptors() const;
  void leave(const std::optional<repo::Worktree>& worktree);
  void abandon_worktrees();
  void tell_begun();
  void put_off(session::SessionSetup setup, const base::Error& why);
  base::Result<HostedSession*> start_one(session::SessionSetup setup);
  void on_session_ended(size_t slot);
  void part(std::unique_ptr<ControlSocket> socket, const std::string& result_json);
  void skip_waiting(int code, const std::string& why);
  void finish_if_done();

  loop::Loop& loop_;
  HostObserver& observer_;
  size_t jobs_;
  size_t planned_;  // sessions in the plan
  std::string socket_folder_;
  CrewDesk* crew_;
  std::deque<session::SessionSetup> waiting_;
  std::unique_ptr<pty::Guardian> guardian_;
  std::unique_ptr<loop::SignalWatch> orphans_;
  HeapWatch heap_;
  ConnectionRoom room_;
  std::set<int> numbers_;                                 // of the running sessions
  std::vector<std::unique_ptr<HostedSession>> sessions_;  // by slot; null once ended
  std::vector<std::unique_ptr<ControlSocket>> parting_;  // sockets whose last frames are being sent
  std::function<void(session::SessionSetup&)> on_worktree_;
  std::function<void()> on_begun_;  // null once called
  std::unique_ptr<WorktreeDesk> worktrees_;
  std::optional<Opening> opening_;
  size_t leaving_ = 0;  // worktrees that are being removed
  size_t held_ = 0;
  size_t tried_ = 0;  // sessions whose worktree was made, or could not be
  bool told_to_stop_ = false;
  size_t running_ = 0;
  size_t free_at_start_ = 0;  // free descriptors, counted up to the need of all jobs
  bool output_paused_ = false;
  bool starting_ = false;
  bool told_of_shortage_ = false;
  bool queue_guarded_ = false;
  loop::Timer queueing_;
  loop::Timer last_git_;      // after the user's wish to stop
  std::string queued_since_;  // in RFC 3339
  // How many of waiting_, counted from the back, have a file in the queue.
  size_t queued_at_back_ = 0;
  bool finished_ = false;
};

}  // namespace orch::host
