#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/command.h"
#include "client/client.h"
#include "loop/timer.h"
#include "store/run_record.h"
#include "store/runs.h"
#include "store/session_file.h"

namespace orch::cli {

// The goal of waiting: one of the agent's statuses, or an end of the run.
enum class Goal : uint8_t { kIdle, kWorking, kWaiting, kError, kExited, kComplete };
using Goals = std::set<Goal>;  // any of them

base::Result<Goals> goals_in(const std::string& text);  // a list like "waiting,error"

// A run that ended well satisfies every goal: it needs nobody any more.
bool is_reached_by_end(const Goals& goals, int code);

// The exit code of a run that has ended. If its host died without a result, or the result cannot be
// read (which is reported), orch's own failure.
int code_of_ended(const store::RunFolder& run);

inline constexpr int64_t kTurnLookMs = 200;  // between two looks for a session that is to come

// Waits for one session. It subscribes to the session's events before it asks for the status, so
// that no change is missed. Only the status decides, not the event that made it ask: an agent at
// its prompt is not idle while a message is pending. If the host is silent (stopped, a closed
// laptop, load), that is reported and the wait goes on; if it dies, the session is lost.
class AwaitedSession final : public client::Follower {
 public:
  AwaitedSession(loop::Loop& loop, Goals goals, store::RunFolder run,
                 std::function<void()> on_decided);

  base::Status begin(const std::string& state_dir, const store::SessionRecord& session);

  bool reached() const { return state_ == State::kReached; }
  bool decided() const { return state_ != State::kOpen; }
  const std::string& name() const { return session_.name; }
  // The exit code of waiting for this session: the run's if it has ended; 0 if the goal was reached
  // otherwise.
  int exit_code() const { return exit_code_; }
  // The state of the session when its wait was decided, for people: "waiting/permission",
  // "complete".
  const std::string& state_text() const { return state_text_; }
  const store::RunFolder& run() const { return run_; }
  // The host's last report; empty before it has answered.
  const std::optional<wire::StatusReport>& report() const { return report_; }

 private:
  enum class State : uint8_t { kOpen, kReached, kMissed };

  void on_started(uint64_t) override {}
  void on_lagged(const client::Gap&) override { ask(); }
  void on_event(std::string_view json) override;
  void on_end(std::string_view result) override;
  void on_lost(const base::Error& error) override;
  store::Presence still_runs() const;
  void come_again();
  void ask();
  void consider(const wire::StatusReport& report);
  void decide(State state, int exit_code);

  loop::Loop& loop_;
  Goals goals_;
  store::RunFolder run_;
  std::optional<wire::StatusReport> report_;
  std::string state_dir_;
  store::SessionRecord session_;
  std::function<void()> on_decided_;
  std::string state_text_;
  std::unique_ptr<client::Client> client_;
  loop::Timer silence_;  // runs while a request is unanswered
  loop::Timer coming_;   // runs until the next look for the host
  loop::Timer unread_;   // runs until the next check whether a dialog has been read
  State state_ = State::kOpen;
  int exit_code_ = kNoSuchSession;
  bool asking_ = false, again_ = false;
};

}  // namespace orch::cli
