#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/duration.h"
#include "cli/paths.h"
#include "cli/runs.h"
#include "cli/sessions.h"
#include "event/exit_reason.h"
#include "host/client.h"
#include "loop/timer.h"
#include "store/issue_name.h"

namespace orch::cli {
namespace {

enum class Goal : uint8_t { kIdle, kWaiting, kExited };

struct WaitOptions {
  std::vector<std::string> issues;
  std::string until = "idle", timeout;
  bool any = false;
  std::optional<std::string> state_dir;
};

// One session that is waited for: subscribed first, then asked, so that no change falls between.
class Awaited final : public host::Follower {
 public:
  Awaited(Goal goal, std::function<void()> on_decided)
      : goal_(goal), on_decided_(std::move(on_decided)) {}

  base::Status begin(loop::Loop& loop, const store::SessionRecord& session) {
    name_ = session.name;
    auto client = host::Client::connect(loop, session.socket, session.name);
    if (!client) return client.error();
    client_ = std::move(client).value();
    client_->follow({.events = true, .raw = false}, *this);
    client_->request(wire::AskStatus{}, [this](base::Result<wire::Answer> answer) {
      if (!answer) return;  // on_lost comes
      if (const auto* report = std::get_if<wire::StatusReport>(&answer->result)) {
        consider(report->status);
      }
    });
    return base::Ok{};
  }

  bool reached() const { return state_ == State::kReached; }
  bool decided() const { return state_ != State::kOpen; }
  const std::string& name() const { return name_; }

 private:
  enum class State : uint8_t { kOpen, kReached, kMissed };

  void on_started(uint64_t) override {}
  void on_lagged(const host::Gap&) override {
    client_->request(wire::AskStatus{}, [this](base::Result<wire::Answer> answer) {
      if (!answer) return;
      if (const auto* report = std::get_if<wire::StatusReport>(&answer->result)) {
        consider(report->status);
      }
    });
  }
  void on_event(std::string_view json) override {
    const auto record = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || record.value("event", "") != "status") return;
    if (const auto status = event::status_named(record.value("status", ""))) consider(*status);
  }
  void on_end(std::string_view) override {
    decide(goal_ == Goal::kExited ? State::kReached : State::kMissed);
  }
  void on_lost(const base::Error& error) override {
    if (!decided()) report(error);
    decide(State::kMissed);
  }

  void consider(event::AgentStatus status) {
    const bool there = (goal_ == Goal::kIdle && event::accepts_input(status)) ||
                       (goal_ == Goal::kWaiting && status == event::AgentStatus::kWaiting);
    if (there) decide(State::kReached);
  }
  void decide(State state) {
    if (decided()) return;
    state_ = state;
    on_decided_();
  }

  Goal goal_;
  std::function<void()> on_decided_;
  std::string name_;
  std::unique_ptr<host::Client> client_;
  State state_ = State::kOpen;
};

base::Result<Goal> parse_goal(const std::string& text) {
  if (text == "idle") return Goal::kIdle;
  if (text == "waiting") return Goal::kWaiting;
  if (text == "exited") return Goal::kExited;
  return base::usage_error("--until " + text + ": write idle, waiting or exited");
}

int wait(const WaitOptions& options) {
  base::Result<std::string> state_dir = state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  base::Result<Goal> goal = parse_goal(options.until);
  if (!goal) return report(goal.error());
  base::Result<int64_t> timeout = options.timeout.empty() ? 0 : parse_duration(options.timeout);
  if (!timeout) return report(timeout.error());
  loop::Loop loop;
  std::vector<std::unique_ptr<Awaited>> awaited;
  const auto consider_end = [&] {
    bool all = true;
    for (const auto& session : awaited) {
      all = all && session->decided();
      if (options.any && session->reached()) loop.stop();
    }
    if (all) loop.stop();
  };
  size_t exited = 0;  // before we came
  for (const std::string& issue : options.issues) {
    base::Result<store::SessionRecord> session = find_session(*state_dir, issue);
    const bool usage = !session && session.error().code == base::ErrorCode::kUsage;
    const bool runs = session && session->status == store::SessionStatus::kRunning;
    if (!runs && !usage && *goal == Goal::kExited && newest_run(*state_dir, issue)) {
      ++exited;
      std::printf("%s\n", store::session_name(issue).c_str());
      continue;
    }
    if (!runs) {
      if (session) {
        std::fprintf(stderr, "orch: %s is gone; its host died\n", session->name.c_str());
      } else {
        const int code = report(session.error());
        if (usage) return code;
      }
      return kNoSuchSession;
    }
    awaited.push_back(std::make_unique<Awaited>(*goal, consider_end));
    if (base::Status s = awaited.back()->begin(loop, *session); !s) {
      awaited.pop_back();
      if (*goal == Goal::kExited && s.error().code == base::ErrorCode::kNotFound) {  // just now
        ++exited;
        std::printf("%s\n", session->name.c_str());
        continue;
      }
      report(s.error());
      return kNoSuchSession;
    }
  }
  loop::Timer deadline(loop);
  bool late = false;
  if (*timeout > 0) {
    deadline.start(*timeout, [&] {
      late = true;
      loop.stop();
    });
  }
  if (exited < options.issues.size() && !(options.any && exited > 0)) loop.run();
  size_t reached = exited;
  for (const auto& session : awaited) {
    if (!session->reached()) continue;
    ++reached;
    std::printf("%s\n", session->name().c_str());
  }
  if (options.any ? reached > 0 : reached == options.issues.size()) return 0;
  return late ? event::exit_code(event::ExitReason::kTimeout) : kNoSuchSession;
}

}  // namespace

void add_wait_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("wait", "wait until sessions are idle, waiting or exited");
  auto options = std::make_shared<WaitOptions>();
  command->add_option("issue", options->issues, "issues or sessions' names")->required();
  command
      ->add_option("--until", options->until,
                   "idle (or at an error), waiting (at a dialog) or exited")
      ->capture_default_str();
  command->add_flag("--any", options->any, "until one of them is");
  command->add_option("--timeout", options->timeout, "give up after this long: 90s, 10m, 2h");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "Prints the names of those that are. Exit codes: 0 they are; 124 it took too "
      "long;\n4 there is no such session, or it has exited.\n\n"
      "Examples:\n  orch wait 42 && orch logs -n 5 42\n"
      "  orch wait --any --until waiting 1 2 3");
  command->callback([options, &chosen] { chosen = [options] { return wait(*options); }; });
}

}  // namespace orch::cli
