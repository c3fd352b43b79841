#include "forge/forge_call.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/own_program.h"
#include "session/environment.h"

namespace orch::forge {
namespace {

// They force colours and indents on JSON, trace requests, or choose another repository.
constexpr std::array<std::string_view, 8> kLeftOut{"GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG",
                                                   "DEBUG",        "GH_REPO",        "GH_PAGER",
                                                   "PAGER",        "GH_BROWSER"};

std::vector<std::string> environment_for_tool() {
  std::vector<std::string> env = session::own_environment();
  std::erase_if(env, [](const std::string& entry) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    return std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
  });
  env.insert(env.end(), {"GH_PROMPT_DISABLED=1", "NO_COLOR=1", "GH_NO_UPDATE_NOTIFIER=1",
                         "GIT_TERMINAL_PROMPT=0", "GLAB_NO_PROMPT=1", "NO_PROMPT=1",
                         "GLAB_CHECK_UPDATE=false"});
  return env;
}

base::Result<Answer> call(const std::string& name, const std::string& missing,
                          const std::vector<std::string>& words, const pty::ToolLimits& limits) {
  base::Result<std::string> program = base::own_program(name);
  if (!program) {
    if (program.error().code != base::ErrorCode::kNotFound) return program.error();
    return base::usage_error("there is no " + name + " along PATH, " + missing + ", then " + name +
                             " auth login");
  }
  std::vector<std::string> argv{std::move(program).value()};
  argv.insert(argv.end(), words.begin(), words.end());
  const base::Result<pty::ToolEnd> end = pty::run_tool(argv, environment_for_tool(), limits);
  if (!end) return end.error();
  const std::string unanswered = pty::why_unanswered(name, *end, limits);
  if (!unanswered.empty()) return base::Error{base::ErrorCode::kSystem, unanswered};
  Answer answer = read_answer(end->output, end->errors, end->code);
  answer.program = name;
  return answer;
}

}  // namespace

base::Result<Answer> call_forge(const std::vector<std::string>& words,
                                const pty::ToolLimits& limits) {
  return call("gh", "which asks GitHub: install it (https://cli.github.com)", words, limits);
}

base::Result<Answer> call_gitlab(const std::vector<std::string>& words,
                                 const pty::ToolLimits& limits) {
  return call("glab", "which asks GitLab: install it (https://gitlab.com/gitlab-org/cli)", words,
              limits);
}

}  // namespace orch::forge
