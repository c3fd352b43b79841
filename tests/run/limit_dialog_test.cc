// Agents that ask what to do about a limit of their plan.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "run/machine.h"

namespace orch::run {
namespace {

using agent::Meaning;
using event::AgentStatus;
using event::Cause;
using event::ExitReason;

agent::DialogRequest limit_dialog() {
  agent::DialogRequest request;
  request.kind = Cause::kLimit;
  request.complete = true;
  request.title = "What do you want to do?";
  request.options = {{"Upgrade your plan", Meaning::kOther},
                     {"Stop and wait for limit to reset", Meaning::kDeny}};
  return request;
}

// A run whose message was accepted.
struct OverLimit {
  explicit OverLimit(RunPlan plan) : machine(std::move(plan), 0) {
    take();
    news(agent::MessageTyped{sent});
    news(agent::MessageEntered{sent});
    news(agent::MessageAccepted{sent, 1});
    status(AgentStatus::kWorking);
  }

  void news(const agent::News& one) { machine.on_news(now, one), take(); }
  void status(AgentStatus status, Cause cause = Cause::kNone) {
    news(event::StatusChange{.status = status, .cause = cause, .from = {}, .rule = {}});
  }
  void ask() {
    status(AgentStatus::kWaiting, Cause::kLimit);
    news(agent::DialogOpened{limit_dialog()});
  }
  // Shows what the agent draws after the answer.
  void show_error() {
    status(AgentStatus::kError, Cause::kRateLimit);
    news(agent::DialogClosed{});
    news(agent::TurnEnded{});
  }
  void run_to(TimeMs at) {
    for (TimeMs due = machine.next_deadline(); due <= at; due = machine.next_deadline()) {
      now = due;
      machine.on_clocks(now, {.wall_ms = now, .elapsed_ms = now});
      machine.on_time(now, 0);
      take();
      REQUIRE(machine.next_deadline() > due);
    }
    now = at;
  }
  void take() {
    for (Action& action : machine.take_actions()) {
      if (const auto* told = std::get_if<Tell>(&action)) {
        const auto* dialog = std::get_if<event::Dialog>(&told->event);
        if (dialog != nullptr) records.push_back(dialog->answer + "/" + dialog->by);
      } else if (std::holds_alternative<FindLimitEnd>(action)) {
        ++looks;
      } else if (const auto* stop = std::get_if<StopAgent>(&action)) {
        stops.push_back(stop->manner);
      } else if (const auto* command = std::get_if<agent::Command>(&action)) {
        if (const auto* answer = std::get_if<agent::Answer>(command)) chosen = answer->options;
        if (const auto* deliver = std::get_if<agent::Deliver>(command)) {
          delivered.push_back(deliver->text);
          sent = deliver->id;
        }
      }
    }
  }

  Machine machine;
  TimeMs now = 0;
  std::string sent;
  std::vector<std::string> records, delivered;
  std::optional<std::vector<size_t>> chosen;
  std::vector<StopAgent::Manner> stops;
  int looks = 0;  // how often the run asked when the limit ends
};

RunPlan plan_for(OnLimit on_limit, int64_t ask_timeout_ms = 0) {
  RunPlan plan;
  plan.prompt = "do it";
  plan.until = Until::kIdle;
  plan.on_limit = on_limit;
  plan.ask_timeout_ms = ask_timeout_ms;
  return plan;
}

constexpr LimitReset kEndsIn90s{90, LimitReset::Kind::kDuration};

TEST_CASE(
    "a limit's dialog ends a run that does not wait, with the moment, however long it may ask") {
  const int64_t ask_timeout_ms = GENERATE(int64_t{0}, int64_t{600'000}, kNever);
  OverLimit run(plan_for(OnLimit::kExit, ask_timeout_ms));
  run.ask();
  CHECK(run.records == std::vector<std::string>{"/policy:none"});
  CHECK_FALSE(run.chosen);
  run.run_to(999);
  CHECK(run.looks == 0);
  run.run_to(1'000);
  REQUIRE(run.looks == 1);
  run.machine.on_limit_end(kEndsIn90s);
  run.take();
  REQUIRE(run.stops == std::vector{StopAgent::Manner::kTerminate});
  run.machine.on_exit(run.now, 0, 15);
  CHECK(run.machine.verdict().reason == ExitReason::kRetryLater);
  CHECK(run.machine.verdict().retry_after_s == 90);
}

TEST_CASE("a run that waits for limits has the agent wait, whatever its policy, and goes on") {
  RunPlan waiting = plan_for(OnLimit::kWait);
  if (GENERATE(false, true)) {
    waiting.policy = std::make_shared<policy::Policy>(policy::Policy::all());
  }
  OverLimit run(waiting);
  run.ask();
  CHECK(run.records == std::vector<std::string>{"Stop and wait for limit to reset/on-limit:wait"});
  CHECK(run.chosen == std::vector<size_t>{1});
  // The limit's end may be given in the dialog only.
  REQUIRE(run.looks == 1);
  run.machine.on_limit_end(kEndsIn90s);
  run.show_error();
  REQUIRE(run.looks == 2);
  run.machine.on_limit_end(std::nullopt);
  run.run_to(94'999);
  CHECK(run.delivered.size() == 1);
  run.run_to(95'000);
  REQUIRE(run.delivered.size() == 2);
  CHECK(run.delivered[1] == "The limit has ended. Please continue.");
  CHECK(run.stops.empty());
}

TEST_CASE("a limit's dialog that comes after its error is answered while the run waits") {
  OverLimit run(plan_for(OnLimit::kWait));
  run.show_error();
  run.machine.on_limit_end(kEndsIn90s);
  run.ask();
  CHECK(run.chosen == std::vector<size_t>{1});
  run.status(AgentStatus::kError, Cause::kRateLimit);
  run.news(agent::DialogClosed{});
  run.run_to(95'000);
  CHECK(run.delivered.size() == 2);
}

TEST_CASE("a limit's dialog that offers nothing but to pay ends the run that would wait") {
  OverLimit run(plan_for(OnLimit::kWait));
  const bool after_error = GENERATE(false, true);
  if (after_error) {
    run.show_error();
    run.machine.on_limit_end(kEndsIn90s);
  }
  agent::DialogRequest request = limit_dialog();
  request.options.pop_back();
  run.status(AgentStatus::kWaiting, Cause::kLimit);
  run.news(agent::DialogOpened{request});
  CHECK_FALSE(run.chosen);
  run.run_to(1'000);
  REQUIRE(run.looks == (after_error ? 2 : 1));
  run.machine.on_limit_end(kEndsIn90s);
  run.machine.on_exit(run.now, 0, 15);
  CHECK(run.machine.verdict().reason == ExitReason::kRetryLater);
  CHECK(run.machine.verdict().retry_after_s == 90);
}

TEST_CASE("a policy may have the agent stop at a limit, and can never have it pay") {
  const std::string answer = GENERATE("allow", "deny");
  const auto policy = policy::Policy::parse(
      R"({"default":"all","rules":[{"name":"at-limit","kind":"limit","answer":")" + answer +
          R"("}]})",
      "policy.json");
  REQUIRE(policy);
  RunPlan ruled = plan_for(OnLimit::kExit);
  ruled.policy = std::make_shared<policy::Policy>(policy.value());
  OverLimit run(ruled);
  run.ask();
  if (answer == "allow") {
    CHECK(run.records == std::vector<std::string>{"/rule:at-limit"});
    CHECK_FALSE(run.chosen);
    return;
  }
  CHECK(run.records == std::vector<std::string>{"Stop and wait for limit to reset/rule:at-limit"});
  CHECK(run.chosen == std::vector<size_t>{1});
  run.show_error();
  REQUIRE(run.looks == 1);
  run.machine.on_limit_end(kEndsIn90s);
  run.machine.on_exit(run.now, 0, 0);
  CHECK(run.machine.verdict().retry_after_s == 90);
}

TEST_CASE("a limit's dialog is left to the person who is at it") {
  OverLimit run(plan_for(OnLimit::kExit));
  run.news(agent::Attended{true});
  run.ask();
  run.run_to(600'000);
  CHECK(run.looks == 0);
  run.news(agent::Attended{false});
  run.run_to(600'001);
  CHECK(run.looks == 1);
}

TEST_CASE("a session that stays leaves the limit of somebody's message to somebody") {
  RunPlan stays = plan_for(OnLimit::kExit, kNever);
  stays.until = Until::kExit;
  stays.prompt.clear();
  OverLimit run(stays);
  run.machine.send({.text = "do it"}, 0);
  run.take();
  run.news(agent::MessageAccepted{run.sent, 1});
  run.ask();
  run.run_to(3'600'000);
  CHECK(run.looks == 0);
  REQUIRE(run.machine.waiting_dialog());
  CHECK(run.stops.empty());
}

}  // namespace
}  // namespace orch::run
