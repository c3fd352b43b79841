#include "session/environment.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

namespace orch::session {
namespace {

using Variables = std::vector<std::string>;

std::vector<std::string> values_of(const Variables& env, const std::string& key) {
  Variables values;
  for (const std::string& entry : env) {
    if (entry.starts_with(key + "=")) values.push_back(entry.substr(key.size() + 1));
  }
  return values;
}

TEST_CASE("an agent inherits what says nothing of orch's own terminal") {
  const Variables env =
      agent_environment({"HOME=/home/u", "PATH=/bin", "EMPTY=", "A=b=c"}, {}, "r");
  CHECK(values_of(env, "HOME") == Variables{"/home/u"});
  CHECK(values_of(env, "PATH") == Variables{"/bin"});
  CHECK(values_of(env, "EMPTY") == Variables{""});
  CHECK(values_of(env, "A") == Variables{"b=c"});
}

TEST_CASE("CI variables and those of a terminal or multiplexer do not reach the agent") {
  for (const std::string key : {"CI",
                                "CI_JOB_TOKEN",
                                "CI_",
                                "CONTINUOUS_INTEGRATION",
                                "BUILD_NUMBER",
                                "GITLAB_CI",
                                "BUILDKITE",
                                "TEAMCITY_VERSION",
                                "JENKINS_URL",
                                "CIRCLECI",
                                "TMUX",
                                "TMUX_PANE",
                                "STY",
                                "ZELLIJ",
                                "ZELLIJ_PANE_ID",
                                "TERM_PROGRAM",
                                "TERM_PROGRAM_VERSION",
                                "COLUMNS",
                                "LINES",
                                "KITTY_PID",
                                "NO_COLOR",
                                "FORCE_COLOR",
                                "CLICOLOR",
                                "VTE_VERSION"}) {
    INFO(key);
    CHECK(values_of(agent_environment({key + "=1"}, {}, "r"), key).empty());
  }
}

TEST_CASE("by GITHUB_ACTIONS Claude Code keeps tokens from what it starts: it stays") {
  const Variables env = agent_environment({"GITHUB_ACTIONS=true", "GITHUB_TOKEN=x"}, {}, "r");
  CHECK(values_of(env, "GITHUB_ACTIONS") == Variables{"true"});
  CHECK(values_of(env, "GITHUB_TOKEN") == Variables{"x"});
}

TEST_CASE("a variable whose name only begins like a removed one stays") {
  const Variables env =
      agent_environment({"CIRCLE=1", "LINES_MAX=2", "TERMINFO=/t", "CIVIL=3"}, {}, "r");
  CHECK(values_of(env, "CIRCLE") == Variables{"1"});
  CHECK(values_of(env, "LINES_MAX") == Variables{"2"});
  CHECK(values_of(env, "TERMINFO") == Variables{"/t"});
  CHECK(values_of(env, "CIVIL") == Variables{"3"});
}

TEST_CASE("TERM and COLORTERM are those of the agent's own terminal, once") {
  const Variables env = agent_environment({"TERM=dumb", "COLORTERM=no", "TERM=vt52"}, {}, "r");
  CHECK(values_of(env, "TERM") == Variables{"xterm-256color"});
  CHECK(values_of(env, "COLORTERM") == Variables{"truecolor"});
}

TEST_CASE("no variable makes an agent a guardian, or keeps its mark away") {
  const Variables env = agent_environment({"ORCH_GUARDIAN=1"}, {{"ORCH_GUARDIAN", "1"}}, "run");
  CHECK(values_of(env, "ORCH_RUN") == Variables{"run"});
}

TEST_CASE("the manifest's variables replace inherited ones and may be removed ones") {
  const Variables env =
      agent_environment({"DISABLE_UPDATE=0", "CI=1"}, {{"DISABLE_UPDATE", "1"}, {"CI", "x"}}, "r");
  CHECK(values_of(env, "DISABLE_UPDATE") == Variables{"1"});
  CHECK(values_of(env, "CI") == Variables{"x"});
}

TEST_CASE("a manifest's TERM replaces that of the agent's terminal") {
  CHECK(values_of(agent_environment({}, {{"TERM", "xterm-kitty"}}, "r"), "TERM") ==
        Variables{"xterm-kitty"});
}

TEST_CASE("a run inside a run has the mark of the inner one, and both in its chain") {
  const Variables outer = agent_environment({"PATH=/bin"}, {}, "outer");
  CHECK(values_of(outer, "ORCH_RUNS") == Variables{"outer"});
  const Variables inner = agent_environment(outer, {}, "inner");
  CHECK(values_of(inner, "ORCH_RUN") == Variables{"inner"});
  CHECK(values_of(inner, "ORCH_RUNS") == Variables{"outer:inner"});
}

TEST_CASE("a chain that was dropped on the way begins again at the mark") {
  const Variables env = agent_environment({"ORCH_RUN=outer"}, {}, "inner");
  CHECK(values_of(env, "ORCH_RUNS") == Variables{"outer:inner"});
}

TEST_CASE("a manifest cannot set the mark") {
  const Variables env =
      agent_environment({}, {{"ORCH_RUN", "stray"}, {"ORCH_RUNS", "stray"}}, "run");
  CHECK(values_of(env, "ORCH_RUN") == Variables{"run"});
  CHECK(values_of(env, "ORCH_RUNS") == Variables{"run"});
}

TEST_CASE("this process's environment is read as it is") {
  REQUIRE(::setenv("ORCH_ENVIRONMENT_TEST", "a value", 1) == 0);
  CHECK(values_of(own_environment(), "ORCH_ENVIRONMENT_TEST") == Variables{"a value"});
  REQUIRE(::unsetenv("ORCH_ENVIRONMENT_TEST") == 0);
}

}  // namespace
}  // namespace orch::session
