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

std::vector<std::string> environment_for_gh() {
  std::vector<std::string> env = session::own_environment();
  std::erase_if(env, [](const std::string& entry) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    return std::find(kLeftOut.begin(), kLeftOut.end(), name) != kLeftOut.end();
  });
  env.insert(env.end(), {"GH_PROMPT_DISABLED=1", "NO_COLOR=1", "GH_NO_UPDATE_NOTIFIER=1",
                         "GIT_TERMINAL_PROMPT=0"});
  return env;
}

}  // namespace

base::Result<Answer> call_forge(const std::vector<std::string>& words,
                                const pty::ToolLimits& limits) {
  base::Result<std::string> program = base::own_program("gh");
  if (!program) {
    if (program.error().code != base::ErrorCode::kNotFound) return program.error();
    return base::usage_error(
        "there is no gh along PATH, which asks GitHub: install it (https://cli.github.com), then "
        "gh "
        "auth login");
  }
  std::vector<std::string> argv{std::move(program).value()};
  argv.insert(argv.end(), words.begin(), words.end());
  const base::Result<pty::ToolEnd> end = pty::run_tool(argv, environment_for_gh(), limits);
  if (!end) return end.error();
  const std::string unanswered = pty::why_unanswered("gh", *end, limits);
  if (!unanswered.empty()) return base::Error{base::ErrorCode::kSystem, unanswered};
  return read_answer(end->output, end->errors, end->code);
}

}  // namespace orch::forge
