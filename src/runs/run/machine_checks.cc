// The part of the run machine that has the work checked when the agent says that it is done:
// whether anything changed, and whether the user's gates pass. While they run no message is sent,
// but the run may end for any reason.
#include "run/machine.h"

namespace orch::run {

using Manner = StopAgent::Manner;

namespace {

// The gate's output is indented, so that the agent can distinguish it from orch's own words.
std::string indented(std::string_view text) {
  std::string out = "    ";
  for (const char byte : text) {
    out += byte;
    if (byte == '\n') out += "    ";
  }
  return out;
}

std::string fix_message(const GateEnd& gate, const Facts& facts) {
  std::string text;
  if (gate.command == kOutputCheck) {
    text = "Your last words do not fit the schema yet: " + gate.output +
           ".\n\nPlease say the JSON value again, so that it fits.";
  } else {
    text = "Your work does not pass a check yet: " + describe(gate) + ".\n\n";
    text += gate.output.empty() ? "It wrote nothing.\n\n"
                                : "The end of what it wrote:\n\n" + indented(gate.output) + "\n\n";
    text += "Please see to it that the check passes.";
  }
  if (facts.until == Until::kComplete) text += " " + completion_instruction(facts.keyword);
  return text;
}

}  // namespace

// The agent says that it is done: has the work checked, or ends the run.
void Machine::on_done(TimeMs now) {
  facts_.turn_over = true;
  if (!is_done(facts()) || !has_checks()) return decide(judge(facts()), Manner::kPolitely);
  state_ = State::kChecking;
  facts_.gates.clear();
  facts_.changes.reset();
  // Changes are looked for before the gates run, because files that the gates build are not the
  // agent's work.
  if (plan_.require_changes) {
    actions_.emplace_back(FindChanges{});
  } else {
    check_next(now);
  }
}

void Machine::on_changes(TimeMs now, Changes changes) {
  if (state_ != State::kChecking || facts_.changes) return;
  facts_.changes = std::move(changes);
  check_next(now);
}

void Machine::on_gate(TimeMs now, GateEnd end) {
  if (state_ != State::kChecking || end.n != gates_begun_) return;
  if (!end.trouble.empty()) {
    return decide(event::ExitReason::kInternal,
                  "gate " + std::to_string(end.n) + " could not be run: " + end.trouble,
                  Manner::kPolitely);
  }
  tell(event::Gate{end.n, end.command, true, end.code, end.ms, end.timed_out, end.output});
  gates_.push_back(end);
  facts_.gates.push_back(std::move(end));
  check_next(now);
}

// The schema of the last words counts as the first gate.
void Machine::check_output() {
  const std::string command(kOutputCheck);
  tell(event::Gate{.n = ++gates_begun_, .command = command});
  FoundOutput found = find_output(last_words_.text(), plan_.keyword, *plan_.output_schema);
  output_ = std::move(found.json);
  GateEnd end{.n = gates_begun_,
              .command = command,
              .code = found.trouble.empty() ? 0 : 1,
              .output = std::move(found.trouble)};
  tell(event::Gate{end.n, end.command, true, end.code, end.ms, end.timed_out, end.output});
  gates_.push_back(end);
  facts_.gates.push_back(std::move(end));
}

void Machine::check_next(TimeMs now) {
  const size_t before = plan_.output_schema ? 1 : 0;
  if (facts_.gates.size() < before) check_output();
  const bool failed = !facts_.gates.empty() && !facts_.gates.back().passed();
  const size_t next = facts_.gates.size() - before;
  if (failed || next == plan_.gates.commands.size()) return end_checks(now);
  const std::string& command = plan_.gates.commands[next];
  tell(event::Gate{.n = ++gates_begun_, .command = command});
  actions_.emplace_back(RunGate{gates_begun_, command, plan_.gates.timeout_ms});
}

bool Machine::is_in_turn() const {
  return status_ == event::AgentStatus::kWorking ||
         (status_ == event::AgentStatus::kWaiting && event::comes_of_turn(cause_));
}

bool Machine::can_fix() const {
  return !gone_ && !facts_.gates.empty() && !facts_.gates.back().passed() &&
         fixes_ < plan_.gates.fix_turns && turns_ < plan_.max_turns && !is_used_up();
}

void Machine::end_checks(TimeMs now) {
  // A user has typed a message during the checks. When that turn is over, the agent has to say
  // again that it is done, and all is checked again.
  if (!gone_ && (is_in_turn() || !is_done(facts()))) {
    facts_.turn_over = false;
    state_ = State::kResting;
    if (!is_in_turn()) take_next_step(now);
    return;
  }
  const bool fix = can_fix();
  // If somebody sent a message during the checks, the agent is not done before the turn of that
  // message.
  const bool more = !gone_ && !queue_.empty() && !is_used_up();
  state_ = State::kResting;
  if (!fix && !more) return decide(judge(facts()), Manner::kPolitely);
  facts_.turn_over = false;
  if (fix && !held_) {
    ++fixes_;
    queue(now, {.text = fix_message(facts_.gates.back(), facts_)});
  }
  if (!step_waits_) start_next();
}

// Stops the checks, because the run has other work now.
void Machine::leave_checks() {
  if (state_ == State::kChecking) actions_.emplace_back(EndChecks{});
}

}  // namespace orch::run
