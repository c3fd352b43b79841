#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loop/loop.h"
#include "loop/timer.h"
#include "session/session.h"

namespace orch::session {

// The state directory of one test; it does not exist before a run. The destructor removes it.
class StateDir {
 public:
  StateDir();
  ~StateDir();
  StateDir(const StateDir&) = delete;
  StateDir& operator=(const StateDir&) = delete;

  const std::string& parent() const { return parent_; }  // the folder around it, which exists
  std::string path() const { return parent_ + "/state"; }

 private:
  std::string parent_;
};

// One session of `--agent command`, with its loop and the events that it told.
class LiveRun final : private SessionSink {
 public:
  explicit LiveRun(std::string state_dir) : state_dir_(std::move(state_dir)) {
    plan.until = run::Until::kExit;
  }

  run::RunPlan plan;  // until the program exits, without a prompt
  RecordPlan record;
  const adapters::Manifest* manifest = nullptr;  // instead of the one of `command`
  SourceFactory source = native_source;
  DriverFactory driver = screen_driver;
  // Called for each event, while the session tells it.
  std::function<void(const event::Event&)> when_told;

  base::Status start(std::vector<std::string> argv);
  // Runs the loop until the session has ended; 20 s are a failure. If signal_after() was called,
  // the signal is sent as if the user had, once the output contains `after`.
  void run();
  void signal_after(std::string after, int signum);
  void fail_after_ms(int64_t ms, std::string why);  // the session's owner reports a failure

  const Session& session() const { return *session_; }
  const std::string& raw() const { return raw_; }
  const std::vector<event::Event>& events() const { return events_; }

 private:
  void on_event(const event::Event& event, std::string_view json) override;
  void on_raw(std::string_view bytes) override;

  std::string state_dir_;
  loop::Loop loop_;
  loop::Timer deadline_{loop_};
  loop::Timer signal_{loop_};
  std::unique_ptr<Session> session_;
  std::string raw_, after_;
  int signum_ = 0;
  bool ended_ = false;
  std::vector<event::Event> events_;
};

std::string content_of(const std::string& path);

}  // namespace orch::session
