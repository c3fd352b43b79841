#include "machine_rig.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace orch::run {

using event::AgentStatus;

namespace {

detect::RuleSet no_rules() {
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile({});
  REQUIRE(rules.ok());
  return std::move(rules).value();
}

}  // namespace

Rig::Rig(RunPlan plan, adapters::Manifest manifest)
    : manifest_(std::move(manifest)),
      rules_(no_rules()),
      detector_(rules_, 0),
      screen_({80, 24}),
      operator_(std::in_place, manifest_),
      machine_(std::move(plan), 0) {
  take();
}

void Rig::status(AgentStatus status, event::Cause cause) {
  event::StatusChange change;
  change.status = status;
  change.cause = cause;
  machine_.on_news(now_, change);
  operator_->on_status(now_, change);
  take();
}

void Rig::look() {
  operator_->look(now_, view_, detector_, screen_);
  take();
}

TimeMs Rig::next_deadline() const {
  return std::min(machine_.next_deadline(), operator_->next_deadline());
}

void Rig::run_to(TimeMs at) {
  for (TimeMs due = next_deadline(); due <= at; due = next_deadline()) {
    now_ = std::max(now_, due);
    look();
    REQUIRE(next_deadline() > due);  // otherwise the owner would loop for ever
  }
  now_ = at;
  look();
}

void Rig::types(std::string_view bytes) {
  operator_->on_typed(now_, bytes);
  take();
}

void Rig::exits(int code, int signal) {
  operator_->on_exit();
  take();
  machine_.on_exit(now_, code, signal);
  take();
}

void Rig::restarted() {
  operator_.emplace(manifest_);
  machine_.on_restart(now_);
  take();
}

std::string Rig::sends(SendRequest request) {
  std::string id = machine_.send(std::move(request), now_);
  take();
  return id;
}

base::Status Rig::resets() {
  base::Status begun = machine_.reset(now_);
  take();
  return begun;
}

void Rig::says(std::string text, agent::Speaker speaker) {
  const agent::Line line{std::move(text), speaker};
  machine_.on_news(now_, line);
  operator_->on_line(line);
}

void Rig::draw(std::string_view bytes) {
  screen_.feed(bytes);
  detector_.on_output(now_, screen_);
  detector_.on_timer(detector_.next_deadline(), screen_);
}

void Rig::accept_message() {
  const size_t before = typed_.size();
  show(at_prompt());
  status(AgentStatus::kIdle);
  run_to(now_ + 500);
  REQUIRE(typed_.size() == before + 1);
  std::string text = typed_.back().substr(6);  // without the start of the bracketed paste
  text.resize(text.size() - 6);
  show(at_prompt(text));
  run_to(now_ + 400);
  REQUIRE(typed_.back() == "\r");
  status(AgentStatus::kWorking);
  show(working());
  run_to(now_ + 200);
  REQUIRE(told<event::Message>().back().phase == event::MessagePhase::kAccepted);
}

void Rig::accept_message_in_box(const std::string& text) {
  show(at_prompt(text));
  run_to(now_ + 400);
  REQUIRE(typed_.back() == "\r");
  show(at_prompt());
  run_to(now_ + 200);
  REQUIRE(told<event::Message>().back().phase == event::MessagePhase::kAccepted);
}

void Rig::turn(const std::vector<std::string>& words) {
  accept_message();
  run_to(now_ + 1'000);
  for (const std::string& line : words) says(line);
  status(AgentStatus::kIdle);
  show(at_prompt());
}

// Does what a session does, until nobody has anything left to report.
void Rig::take() {
  machine_.on_clocks(now_, {clocks_.wall_ms + now_, clocks_.elapsed_ms + now_});
  machine_.on_time(now_, detector_.last_output());
  for (bool more = true; more;) {
    more = false;
    for (std::string& bytes : operator_->take_writes()) typed_.push_back(std::move(bytes));
    for (const agent::News& news : operator_->take_news()) {
      machine_.on_news(now_, news);
      more = true;
    }
    if (more) machine_.on_time(now_, detector_.last_output());
    for (Action& action : machine_.take_actions()) {
      perform(std::move(action));
      more = true;
    }
  }
}

void Rig::perform(Action action) {
  if (const auto* command = std::get_if<agent::Command>(&action)) {
    operator_->command(now_, *command);
    operator_->look(now_, view_, detector_, screen_);
  } else if (const auto* stop = std::get_if<StopAgent>(&action)) {
    stops_.push_back(stop->manner);
  } else if (const auto* report = std::get_if<Report>(&action)) {
    reports_.push_back(report->report);
  } else if (std::holds_alternative<RestartAgent>(action)) {
    ++restarts_;
  } else if (const auto* reset = std::get_if<TellReset>(&action)) {
    resets_.push_back(reset->how);
  } else if (std::holds_alternative<FindLimitEnd>(action)) {
    ++limits_;
  } else if (std::holds_alternative<FindLifeSigns>(action)) {
    ++silences_;
  } else if (std::holds_alternative<FindChanges>(action)) {
    ++looks_;
  } else if (const auto* gate = std::get_if<RunGate>(&action)) {
    gates_.push_back(*gate);
  } else if (std::holds_alternative<EndChecks>(action)) {
    ++checks_ended_;
  } else {
    events_.push_back(std::get<Tell>(std::move(action)).event);
  }
}

void Rig::gate_ends(int code, const std::string& output, bool timed_out) {
  const RunGate& gate = gates_.back();
  machine_.on_gate(now_, {gate.n, gate.command, code, 1'000, timed_out, output});
  take();
}

void Rig::gate_cannot_run(const std::string& trouble) {
  const RunGate& gate = gates_.back();
  machine_.on_gate(
      now_, {.n = gate.n, .command = gate.command, .code = 126, .output = "", .trouble = trouble});
  take();
}

RunPlan plan_of(Until until, std::string prompt) {
  RunPlan plan;
  plan.until = until;
  plan.prompt = std::move(prompt);
  return plan;
}

}  // namespace orch::run
