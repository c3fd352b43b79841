#include "session/environment.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "pty/run_mark.h"
#include "session/caller_variables.h"

extern char** environ;

namespace orch::session {
namespace {

// Names of variables, or prefixes of names if they end with '*'. Documented in
// docs/configuration.md.
constexpr std::array<std::string_view, 53> kForeign{
    // These make interface libraries draw only at the end, or without colours: npm's is-in-ci (CI,
    // CONTINUOUS_INTEGRATION, CI_*), ci-info and supports-color, the crates is_ci and
    // supports-color. GITHUB_ACTIONS is kept: these libraries ignore it, and Claude Code uses it to
    // keep tokens from the processes that it starts.
    "CI",
    "CI_*",
    "CONTINUOUS_INTEGRATION",
    "BUILD_NUMBER",
    "RUN_ID",
    "APPVEYOR",
    "BITBUCKET_DEPLOYMENT",
    "BITRISE_IO",
    "BUDDY_WORKSPACE_ID",
    "BUILDKITE",
    "CIRCLECI",
    "CIRRUS_CI",
    "CODEBUILD_SRC_DIR",
    "DRONE",
    "GERRIT_PROJECT",
    "GITHUB_ACTION",
    "GITLAB_CI",
    "GITLAB_DEPLOYMENT",
    "GO_PIPELINE_NAME",
    "HUDSON_URL",
    "JENKINS_URL",
    "NETLIFY",
    "SEMAPHORE",
    "SHIPPABLE",
    "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI",
    "TASKCLUSTER_ROOT_URL",
    "TEAMCITY_VERSION",
    "TRAVIS",
    "WERCKER",
    "bamboo.buildKey",
    // These name a terminal or multiplexer that the agent is not in.
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "ZELLIJ",
    "ZELLIJ_*",
    "VTE_VERSION",
    "COLUMNS",
    "LINES",
    "WT_SESSION",
    "KITTY_*",
    "WINDOWID",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    // These name the notices pipe of an orch session that this orch runs in.
    "ORCH_HOOK",
    "ORCH_NOTICES",
    "ORCH_NOTICES_KEY",
    // Variables for the agent alone come with `added`.
    "ORCH_FOR_AGENT_*",
};

void add_terminal(std::map<std::string, std::string>& env) {
  env.emplace("TERM", "xterm-256color");
  env.emplace("COLORTERM", "truecolor");
}

std::string_view key_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_mark(std::string_view key) { return key == pty::kRunMark || key == pty::kRunChain; }

bool is_foreign(std::string_view key) {
  return std::any_of(kForeign.begin(), kForeign.end(), [key](std::string_view pattern) {
    if (!pattern.ends_with('*')) return key == pattern;
    return key.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

}  // namespace

std::string_view value_in(const std::vector<std::string>& env, std::string_view key) {
  for (const std::string& entry : env) {
    if (entry.size() > key.size() && entry[key.size()] == '=' && entry.starts_with(key)) {
      return std::string_view(entry).substr(key.size() + 1);
    }
  }
  return {};
}

std::vector<std::string> agent_environment(const std::vector<std::string>& inherited,
                                           const std::map<std::string, std::string>& added,
                                           std::string_view run_id) {
  std::vector<std::string> clean = inherited, env;
  take_caller_variables(clean);
  for (const std::string& entry : clean) {
    const std::string_view key = key_of(entry);
    if (is_foreign(key) || is_mark(key) || added.contains(std::string(key))) continue;
    env.push_back(entry);
  }
  std::map<std::string, std::string> own = added;
  add_terminal(own);
  own.insert_or_assign(std::string(pty::kRunMark), std::string(run_id));
  own.insert_or_assign(std::string(pty::kRunChain),
                       pty::chain_below(value_in(inherited, pty::kRunChain),
                                        value_in(inherited, pty::kRunMark), run_id));
  for (const auto& [key, value] : own) env.push_back(key + "=" + value);
  return env;
}

std::optional<GivenVariable> given_variable(const std::string& name) {
  // NOLINTBEGIN(concurrency-mt-unsafe): no thread sets variables
  if (const char* given = std::getenv((std::string(kForAgent) + name).c_str())) {
    return GivenVariable{given, false};
  }
  if (const char* own = std::getenv(name.c_str())) return GivenVariable{own, true};
  // NOLINTEND(concurrency-mt-unsafe)
  for (const std::string& entry : left_variables()) {
    if (key_of(entry) == name) return GivenVariable{entry.substr(name.size() + 1), true};
  }
  return std::nullopt;
}

std::vector<std::string> launcher_environment(const std::vector<std::string>& own,
                                              const std::vector<std::string>& agent) {
  std::vector<std::string> env;
  for (const std::string& entry : own) {
    if (!is_mark(key_of(entry)) && !entry.starts_with(kForAgent)) env.push_back(entry);
  }
  for (const std::string& entry : agent) {
    env.push_back(is_mark(key_of(entry)) ? entry : std::string(kForAgent) + entry);
  }
  return env;
}

std::vector<std::string> launched_environment(const std::vector<std::string>& launcher) {
  std::vector<std::string> env;
  for (const std::string& entry : launcher) {
    if (entry.starts_with(kForAgent)) {
      env.push_back(entry.substr(kForAgent.size()));
    } else if (is_mark(key_of(entry))) {
      env.push_back(entry);
    }
  }
  return env;
}

std::map<std::string, std::string> enclosed_environment(std::map<std::string, std::string> added) {
  add_terminal(added);
  return added;
}

void add_mark(std::string_view id, std::vector<std::string>& env) {
  const std::string chain =
      pty::chain_below(value_in(env, pty::kRunChain), value_in(env, pty::kRunMark), id);
  const std::string name = std::string(pty::kRunChain) + "=";
  std::erase_if(env, [&name](const std::string& entry) { return entry.starts_with(name); });
  env.push_back(name + chain);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  return env;
}

}  // namespace orch::session
