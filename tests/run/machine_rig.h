#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "detect/detector.h"
#include "driver/operator.h"
#include "run/machine.h"
#include "typist.h"

namespace orch::run {

using driver::at_prompt;
using driver::bracketed;
using driver::dialog;
using driver::InputView;
using driver::no_box;
using driver::starting;
using driver::working;

// A Machine with the part of the Screen driver that types (driver::Operator). The test sets the
// agent's screen and status. Times are the run's milliseconds.
class Rig {
 public:
  explicit Rig(RunPlan plan, adapters::Manifest manifest = {});
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  void status(event::AgentStatus status, event::Cause cause = event::Cause::kNone);
  void show(const InputView& view) { view_ = view, view_.last_output = now_, look(); }
  void look();
  void run_to(TimeMs at);  // runs every deadline up to and including `at`
  void says(std::string text, agent::Speaker speaker = agent::Speaker::kAgent);
  void signal(int signum) { machine_.on_signal(signum), take(); }
  std::string sends(SendRequest request);
  void withdraws(const std::string& id) { machine_.withdraw(id, now_), take(); }
  void fails(std::string detail) { machine_.on_failure(std::move(detail)), take(); }
  void exits(int code, int signal = 0);
  void types(std::string_view bytes);  // a person types
  void draw(std::string_view bytes);   // draws on the screen that dialogs are read from

  void accept_message();  // goes from the prompt to an accepted message
  // The same from the text in the box on; the agent takes it without a sign of work.
  void accept_message_in_box(const std::string& text);
  // Plays a whole turn: a message is accepted, the agent works, says `words`, and is idle again.
  void turn(const std::vector<std::string>& words);

  Machine& machine() { return machine_; }
  TimeMs now() const { return now_; }
  const std::vector<std::string>& typed() const { return typed_; }  // everything that was typed
  const std::vector<StopAgent::Manner>& stops() const { return stops_; }
  base::Status resets();
  void restarted();
  void limit_ends(std::optional<LimitReset> reset) { machine_.on_limit_end(reset), take(); }
  // Lets the clocks go on by this much without the run's time, as while the machine is suspended.
  void suspended(int64_t ms) { clocks_.wall_ms += ms, clocks_.elapsed_ms += ms; }
  void wall_clock_set(int64_t by_ms) { clocks_.wall_ms += by_ms; }
  void life_signs(bool alive) { machine_.on_life_signs(now_, alive, "evidence"), take(); }

  void changes_are(Changes changes) { machine_.on_changes(now_, std::move(changes)), take(); }
  // The gate that runs ends with this result.
  void gate_ends(int code, const std::string& output = "", bool timed_out = false);
  void gate_cannot_run(const std::string& trouble);

  const std::vector<RunGate>& gates() const { return gates_; }  // gates that the run asked for
  int looks() const { return looks_; }  // how often it asked for the changes
  int checks_ended() const { return checks_ended_; }
  const std::vector<SendReport>& reports() const { return reports_; }
  const std::vector<TellReset::How>& reset_ends() const { return resets_; }
  int restarts() const { return restarts_; }  // how many restarts it asked for
  int limits() const { return limits_; }      // how often it asked when a limit ends
  int silences() const { return silences_; }  // how often it asked for signs of life
  const std::vector<event::Event>& events() const { return events_; }
  template <typename T>
  std::vector<T> told() const {
    std::vector<T> found;
    for (const event::Event& event : events_) {
      if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
    }
    return found;
  }

 private:
  void take();
  void perform(Action action);
  TimeMs next_deadline() const;

  adapters::Manifest manifest_;
  detect::RuleSet rules_;
  detect::Detector detector_;
  term::Screen screen_;
  std::optional<driver::Operator> operator_;
  Machine machine_;
  driver::InputView view_ = driver::starting();
  TimeMs now_ = 0;
  Clocks clocks_{.wall_ms = 1'700'000'000'000, .elapsed_ms = 5'000};  // at the start of the run
  std::vector<std::string> typed_;
  std::vector<StopAgent::Manner> stops_;
  std::vector<SendReport> reports_;
  std::vector<TellReset::How> resets_;
  int restarts_ = 0, limits_ = 0, silences_ = 0;
  std::vector<RunGate> gates_;
  int looks_ = 0, checks_ended_ = 0;
  std::vector<event::Event> events_;
};

RunPlan plan_of(Until until, std::string prompt = "do it");

}  // namespace orch::run
