#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acp/failure.h"
#include "agent/dialog_choice.h"
#include "base/line_cutter.h"
#include "base/result.h"
#include "client/client.h"
#include "client/find.h"
#include "event/event.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "mcp/output_tail.h"
#include "pty/process.h"
#include "store/session_file.h"
#include "wire/message.h"

namespace orch::cli {

// A session of a client of `orch acp`: the `orch run` that it is, the connection to that run's
// host, and the run's events, which are read from its record only as fast as the client takes them.
class AcpSession final : private pty::ProcessObserver, private client::Follower {
 public:
  struct Started {
    std::string key, run, agent;
    std::string folder;  // of the run
  };
  // Calls come from the loop. None of them may destroy the session.
  struct Handlers {
    std::function<void(const base::Result<Started>&)> on_open;
    // `is_history`: it happened in an earlier run.
    std::function<void(const event::Event&, bool is_history)> on_event;
    std::function<void(const base::Result<wire::StatusReport>&)> on_report;
    std::function<void(uint64_t turn, const base::Result<wire::Sent>&)> on_sent;
    std::function<void(const std::string& dialog, const base::Status&)> on_answered;
    std::function<void(const acp::Failure&)> on_end;
    std::function<void(const std::string&)> on_note;  // a line of orch run's before the start
    // Whether the client has still to take so much that no event should be read now, and the call
    // for when it has taken all.
    std::function<bool()> is_full;
    std::function<void(std::function<void()>)> when_drained;
  };
  AcpSession(loop::Loop& loop, client::Place place, Handlers handlers);

  // Events of earlier runs, to be told before those of the run: paths of events.jsonl.
  void set_history(const std::vector<std::string>& files);
  // Runs `argv`, an `orch run` or `orch continue` that prints JSON, and connects to its session.
  // With `outlives` it leaves its session in the background; otherwise the session ends with us.
  base::Status start(std::vector<std::string> argv, std::vector<std::string> env, bool outlives);
  // Connects to a session that runs already. It goes on when we end.
  void join(const std::string& run);

  void ask_status();
  void send(std::string text, uint64_t turn);
  void answer(const std::string& dialog, const agent::DialogChoice& choice);
  void press_escape();
  // Ends the session; on_end() follows.
  void stop();
  bool is_over() const { return is_over_; }
  const std::string& run() const { return run_; }

 private:
  struct Part {
    std::string path;
    bool is_history = false;
  };

  void on_output(std::string_view bytes) override;
  void on_error_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  void on_started(uint64_t events_offset) override;
  void on_event(std::string_view json) override;
  void on_lagged(const client::Gap& gap) override;
  void on_end(std::string_view result_json) override;
  void on_lost(const base::Error& error) override;

  void on_first_line(std::string_view line);
  void connect();
  void fail_to_open(const base::Error& error);
  void read_soon();
  void read_events();
  void catch_up();
  void end(const acp::Failure& failure);
  acp::Failure failure_of_run() const;

  loop::Loop& loop_;
  client::Place place_;
  Handlers handlers_;
  std::unique_ptr<pty::Process> process_;
  std::unique_ptr<client::Client> client_;
  base::LineCutter lines_, notes_;
  mcp::OutputTail errors_;
  std::string run_;
  std::optional<Started> started_;  // until on_open() is called
  std::deque<Part> parts_;
  uint64_t offset_ = 0;
  bool is_paused_ = false;
  bool is_open_ = false, is_joined_ = false, outlives_ = false, is_over_ = false;
  int connects_ = 0;
  loop::Timer reader_, connector_, last_resort_;
  std::vector<std::pair<uint64_t, base::Result<wire::Sent>>> sent_;  // until all before is told
  std::optional<acp::Failure> ended_;
};

}  // namespace orch::cli
