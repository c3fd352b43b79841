#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "task/journal.h"
#include "task/task_machine.h"

namespace orch::task {

// A complete task file, with `more` at its end.
std::string spec_text(const std::string& more = "");
TaskSpec spec_of(const std::string& text);

// Answers that a meta-agent may give.
std::string plan_answer();
std::string work_answer(const std::string& fields = "");
std::string done_answer();
std::string abort_answer();
std::string assessment_answer(const std::string& first = "passed",
                              const std::string& second = "passed");

WorkerEnd good_work();
TestEnd test_end(int code);

// A machine whose every event goes through its journal, as in a real task.
class Rig {
 public:
  explicit Rig(const std::string& text = spec_text());
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  void tell(const Event& event, TimeMs later = 1'000);
  void answer(const std::string& text, event::Usage usage = {});
  void worked(WorkerEnd end = good_work());
  void tested(int code);
  // Goes to the point where the meta-agent is asked what to do first.
  void plan();
  // Runs one worker, whose tests end with this code, up to the question after it.
  void loop(int test_code = 0, const std::string& first = "passed",
            const std::string& second = "passed");

  // The last command, which must be of this kind.
  template <typename Kind>
  const Kind& last() const {
    REQUIRE_FALSE(commands.empty());
    REQUIRE(std::holds_alternative<Kind>(commands.back()));
    return std::get<Kind>(commands.back());
  }

  // The open step, which must be of this kind.
  template <typename Kind>
  const Kind& open() const {
    REQUIRE(machine.open_step());
    REQUIRE(std::holds_alternative<Kind>(*machine.open_step()));
    return std::get<Kind>(*machine.open_step());
  }

  TaskSpec spec;
  std::string prd = "Make the tests pass.\n";
  Machine machine;
  std::vector<Command> commands;  // all commands so far
  std::vector<std::string> journal;
  TimeMs now = 0;
};

}  // namespace orch::task
