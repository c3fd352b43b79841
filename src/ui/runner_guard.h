#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::ui {

// Whose log this process writes to, by its environment.
enum class Runner : uint8_t { kNone, kGithub, kGitlab };
Runner runner_here();

// Keeps what an agent says from being taken for a command by the CI system that reads it: a blank
// is put into GitHub's "::" at a line's start, and into "##[" anywhere; into GitLab's
// "section_start:" and "section_end:". Nothing is held back, however the text comes in pieces.
class RunnerGuard {
 public:
  explicit RunnerGuard(Runner runner) : runner_(runner) {}
  std::string pass(std::string_view bytes);

 private:
  bool begins_command(char next) const;
  void remember(char c);

  Runner runner_;
  std::string line_end_;  // the last few bytes of this line
  bool at_start_ = true;  // of a line: nothing but what a runner trims off came before line_end_
};

}  // namespace orch::ui
