#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::ui {

// The CI system whose log this process writes to, according to the environment.
enum class Runner : uint8_t { kNone, kGithub, kGitlab };
Runner runner_here();

// Keeps the CI system that reads an agent's words from mistaking them for a command: a blank is
// inserted into GitHub's "::" at the start of a line and "##[" anywhere, and into GitLab's
// "section_start:" and "section_end:". Nothing is held back, however the text is split into pieces.
class RunnerGuard {
 public:
  explicit RunnerGuard(Runner runner) : runner_(runner) {}
  std::string pass(std::string_view bytes);

 private:
  bool begins_command(char next) const;
  void remember(char c);

  Runner runner_;
  std::string line_end_;  // the last few bytes of this line
  // only characters that a runner trims off came before line_end_ in this line
  bool at_start_ = true;
};

}  // namespace orch::ui
