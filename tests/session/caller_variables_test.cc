#include "session/caller_variables.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "session/environment.h"
#include "store/file_io.h"

namespace orch::session {
namespace {

using Variables = std::vector<std::string>;

Variables left_of(Variables environment) {
  take_caller_variables(environment);
  return environment;
}

TEST_CASE("a tool's variables for its own children are taken, what the user exported stays") {
  const Variables of_users{"PATH=/bin",
                           "CC=clang",
                           "JAVA_HOME=/java",
                           "CARGO_HOME=/cargo",
                           "CARGO_TARGET_DIR=/target",
                           "CARGO_REGISTRIES_X_INDEX=x",
                           "NPM_CONFIG_REGISTRY=r",
                           "npm_config_cache=/c",
                           "NODE_OPTIONS=--max-old-space-size=4096",
                           "MAKEFLAGS=-j8",
                           "GIT_AUTHOR_NAME=me",
                           "GIT_COMMITTER_EMAIL=me@x",
                           "GIT_EDITOR=vim",
                           "GIT_SSH_COMMAND=ssh -i k",
                           "GIT_TOKEN=t",
                           "RUSTUP_TOOLCHAIN=nightly",
                           "BUNDLE_GEMFILE=/g",
                           "PRE_COMMIT_HOME=/p",
                           "PYTEST_ADDOPTS=-q",
                           "OUT_DIR=/out",
                           "DEBUG=1",
                           "TARGET=x",
                           "HUSKY=0",
                           "VIRTUAL_ENV=/v",
                           "GOOS=linux"};
  CHECK(left_of(of_users) == of_users);
  for (const char* tools : {"GIT_DIR=/r/.git",
                            "GIT_WORK_TREE=/r",
                            "GIT_INDEX_FILE=.git/index",
                            "GIT_CONFIG_COUNT=1",
                            "GIT_CONFIG_KEY_0=a",
                            "GIT_CONFIG_VALUE_0=b",
                            "GIT_CONFIG_PARAMETERS='a'='b'",
                            "GIT_SEQUENCE_EDITOR=:",
                            "GIT_REFLOG_ACTION=rebase",
                            "GIT_EDITOR=:",
                            "MAKELEVEL=1",
                            "MAKEFLAGS= -j2 --jobserver-auth=3,4",
                            "MFLAGS=-j --jobserver-fds=3,4",
                            "INIT_CWD=/r",
                            "npm_lifecycle_event=test",
                            "npm_package_name=x",
                            "CARGO_MANIFEST_DIR=/r",
                            "CARGO_PKG_NAME=x",
                            "PRE_COMMIT=1",
                            "HUSKY_GIT_PARAMS=x",
                            "PYTEST_CURRENT_TEST=t",
                            "TOX_ENV_NAME=py",
                            "CLAUDECODE=1",
                            "NOTIFY_SOCKET=/s",
                            "BUNDLER_ORIG_PATH=/p"}) {
    INFO(tools);
    CHECK(left_of({tools}).empty());
  }
}

TEST_CASE("what may be either's is the tool's where the tool is seen to be around") {
  CHECK(left_of({"MAKEFLAGS=-j8", "MAKELEVEL=1", "MAKE=make"}) == Variables{"MAKE=make"});
  CHECK(left_of({"npm_config_cache=/c", "npm_execpath=/n", "COLOR=1", "NODE=/n"}).empty());
  CHECK(left_of({"GIT_AUTHOR_NAME=other", "GIT_AUTHOR_EMAIL=o@x", "GIT_AUTHOR_DATE=@1 +0000"})
            .empty());
  CHECK(left_of({"OUT_DIR=/o", "CARGO_MANIFEST_DIR=/r"}).empty());
  CHECK(left_of({"RUSTUP_TOOLCHAIN=stable", "RUST_RECURSION_COUNT=1"}).empty());
  CHECK(left_of({"RUBYOPT=-rbundler/setup", "BUNDLE_GEMFILE=/g", "BUNDLE_BIN_PATH=/b"}).empty());
}

TEST_CASE("what is taken is told, and reaches no agent") {
  Variables environment{"A=1", "GIT_DIR=/r=x", "B=2", "MAKELEVEL=1"};
  CHECK(take_caller_variables(environment) == Variables{"GIT_DIR=/r=x", "MAKELEVEL=1"});
  CHECK(environment == Variables{"A=1", "B=2"});
  const Variables agents = agent_environment({"GIT_DIR=/r", "A=1"}, {{"GIT_PREFIX", "mine"}}, "r");
  CHECK(std::count(agents.begin(), agents.end(), "A=1") == 1);
  CHECK(std::count(agents.begin(), agents.end(), "GIT_DIR=/r") == 0);
  CHECK(std::count(agents.begin(), agents.end(), "GIT_PREFIX=mine") == 1);
}

TEST_CASE("all variables that the installed git takes for a repository's are in the table") {
  FILE* git = ::popen("git rev-parse --local-env-vars 2>/dev/null", "re");
  REQUIRE(git != nullptr);
  std::string names;
  for (int c = 0; (c = std::fgetc(git)) != EOF;) names += static_cast<char>(c);
  ::pclose(git);
  CHECK(names.find("GIT_DIR\n") != std::string::npos);
  while (!names.empty()) {
    const std::string name = names.substr(0, names.find('\n'));
    names.erase(0, name.size() + 1);
    INFO(name);
    CHECK(left_of({name + "=1"}).empty());
  }
}

TEST_CASE(
    "each row of the table has a reason, and docs/internals/caller-variables.md has its name") {
  const auto page = store::read_file(
      std::string(ORCH_SOURCE_DIR) + "/docs/internals/caller-variables.md", 1 << 20);
  REQUIRE(page);
  for (const CallerVariable& each : caller_variables()) {
    INFO(each.name);
    CHECK_FALSE(each.why.empty());
    CHECK(page->find("`" + std::string(each.name) + "`") != std::string::npos);
  }
}

}  // namespace
}  // namespace orch::session
