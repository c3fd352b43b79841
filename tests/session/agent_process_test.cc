#include "session/agent_process.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "agent_fixture.h"
#include "driver/json_way.h"
#include "live_run.h"

namespace orch::session {
namespace {

// A source that records what it is told: "pause", "resume", and what is written.
class KeepingSource final : public Source {
 public:
  explicit KeepingSource(std::vector<std::string>& told) : told_(told) {}
  void write(std::string bytes) override { told_.push_back(std::move(bytes)); }
  void resize(int, int) override {}
  void pause() override { told_.emplace_back("pause"); }
  void resume() override { told_.emplace_back("resume"); }
  void stop(StopOrder) override {}

 private:
  std::vector<std::string>& told_;
};

class DeafObserver final : public SourceObserver {
 public:
  void on_output(std::string_view) override {}
  void on_end(pty::ExitStatus) override {}
};

TEST_CASE("an agent that is paused between two turns is paused in the next one, until it goes on") {
  const StateDir state;
  loop::Loop loop;
  DeafObserver observer;
  std::vector<std::string> told;
  SessionSetup setup;
  setup.manifest = agent_named("command").manifest;
  setup.launch.argv = {"/bin/true"};
  setup.cwd = "/";
  setup.mode = Mode::kHeadless;
  setup.source = [&told](loop::Loop&, const pty::SpawnPlan&, SourceObserver&) {
    return base::Result<std::unique_ptr<Source>>(std::make_unique<KeepingSource>(told));
  };
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  AgentProcess agent(loop, setup, *dir, nullptr);
  REQUIRE(agent.start(observer));
  agent.pause();
  REQUIRE(agent.start_turn({.resume = {}, .input = "first", .more_input = true}, observer));
  CHECK(told == std::vector<std::string>{"pause", "first"});
  agent.end_turn();
  agent.resume();
  REQUIRE(agent.start_turn({.resume = {}, .input = "second", .more_input = true}, observer));
  CHECK(told == std::vector<std::string>{"pause", "first", "second"});
}

// The settings with which claude is started, fenced, with this key, policy and .claude.json.
std::string settings_with(const std::string& key, const char* policy,
                          const std::string& remembered) {
  const StateDir state;
  loop::Loop loop;
  const std::string home = state.path() + "/home";
  std::filesystem::create_directories(home);
  std::ofstream(home + "/.claude.json") << remembered;
  SessionSetup setup;
  setup.manifest = agent_named("claude").manifest;
  setup.launch.argv = {"claude"};
  setup.launch.env = {{"HOME", home}, {"ANTHROPIC_API_KEY", key}, {"CLAUDE_CONFIG_DIR", ""}};
  setup.cwd = "/";
  setup.hook_program = "/bin/orch";
  setup.fence.emplace().offer.landlock = 1;
  setup.plan.policy =
      std::make_shared<const policy::Policy>(policy::Policy::parse(policy, "policy.json").value());
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  const AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  std::ostringstream settings;
  settings << std::ifstream(dir->hook_settings_file()).rdbuf();
  return settings.str();
}

TEST_CASE("A key that claude asks about, and cannot remember in a fence, is given once more") {
  const std::string key = "sk-ant-api03-a-key-that-ends-in-0123456789abcdef";
  const std::string seen =
      R"({"customApiKeyResponses":{"rejected":["-ends-in-0123456789abcdef"]}})";
  constexpr const char* kAll = R"({"default":"all"})";
  const auto helps = [](const std::string& settings) {
    CHECK(settings.find("PreToolUse") != std::string::npos);
    return settings.find("apiKeyHelper") != std::string::npos;
  };
  CHECK(helps(settings_with(key, kAll, "{}")));
  CHECK_FALSE(helps(settings_with(key, kAll, seen)));  // claude does not ask
  CHECK_FALSE(helps(settings_with(key, R"({"default":"none"})", "{}")));
  CHECK_FALSE(helps(
      settings_with(key, R"({"default":"all","rules":[{"kind":"login","answer":"deny"}]})", "{}")));
  CHECK_FALSE(helps(settings_with("", kAll, "{}")));
}

// How gemini is started so that it tells its calls, where the administrator has these settings.
SessionSetup checked_gemini(const StateDir& state, const std::string& administrators) {
  SessionSetup setup;
  setup.manifest = agent_named("gemini").manifest;
  setup.launch.argv = {"gemini"};
  setup.launch.env = {{"HOME", state.path()}, {"GEMINI_CLI_SYSTEM_SETTINGS_PATH", administrators}};
  setup.cwd = "/";
  setup.hook_program = "/bin/orch";
  setup.check_socket = "/run/orch.sock";
  return setup;
}

TEST_CASE("the administrator's settings, and hooks, stay where gemini is made to tell its calls") {
  const StateDir state;
  loop::Loop loop;
  std::filesystem::create_directories(state.path());
  const std::string file = state.path() + "/system.json";
  std::ofstream(file)
      << R"({"tools":{"exclude":["web_fetch"]},"hooks":{"BeforeTool":[{"theirs":1}]}})";
  SessionSetup setup = checked_gemini(state, file);
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  const AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  std::ostringstream text;
  text << std::ifstream(dir->hook_settings_file()).rdbuf();
  const driver::AgentJson settings = driver::parse_agent_json(text.str());
  CHECK(setup.launch.env.at("GEMINI_CLI_SYSTEM_SETTINGS_PATH") == dir->hook_settings_file());
  CHECK(settings["tools"]["exclude"][0] == "web_fetch");
  REQUIRE(settings["hooks"]["BeforeTool"].size() == 2);
  CHECK(settings["hooks"]["BeforeTool"][0]["sequential"] == true);
  CHECK(settings["hooks"]["BeforeTool"][1]["theirs"] == 1);
}

TEST_CASE("where the agent could replace orch, its hooks run a copy") {
  const StateDir state;
  loop::Loop loop;
  SessionSetup setup = checked_gemini(state, "");
  setup.cwd = "/work";
  setup.hook_program = "/work/build/orch";
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  std::ostringstream text;
  text << std::ifstream(dir->hook_settings_file()).rdbuf();
  CHECK(text.str().find("'" + dir->path() + "/orch' check-call") != std::string::npos);
  CHECK(std::filesystem::file_size(dir->path() + "/orch") ==
        std::filesystem::file_size("/proc/self/exe"));
  agent.finish();
  CHECK_FALSE(std::filesystem::exists(dir->path() + "/orch"));
}

TEST_CASE("settings of an administrator that cannot be read are not replaced") {
  const StateDir state;
  loop::Loop loop;
  std::filesystem::create_directories(state.path());
  const std::string file = state.path() + "/system.json";
  std::ofstream(file) << "no JSON";
  SessionSetup setup = checked_gemini(state, file);
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  const AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  CHECK(setup.launch.env.at("GEMINI_CLI_SYSTEM_SETTINGS_PATH") == file);
}

TEST_CASE("rules of the project that forbid hold where its settings could replace a call") {
  const StateDir state;
  loop::Loop loop;
  std::filesystem::create_directories(state.path() + "/.claude");
  std::ofstream(state.path() + "/.claude/settings.json")
      << R"x({"permissions":{"deny":["Read(.env)"],"allow":["Bash"]},"hooks":{"PreToolUse":[{}]},
             "disableAllHooks":true})x";
  std::ofstream(state.path() + "/.claude/settings.local.json")
      << R"x({"permissions":{"deny":["Bash(rm:*)", 7],"ask":["Edit"]}})x";
  SessionSetup setup;
  setup.manifest = agent_named("claude").manifest;
  setup.launch.argv = {"claude"};
  setup.cwd = state.path();
  setup.hook_program = "/bin/orch";
  setup.check_socket = "/run/orch.sock";
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  const AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  std::ostringstream text;
  text << std::ifstream(dir->hook_settings_file()).rdbuf();
  const driver::AgentJson settings = driver::parse_agent_json(text.str());
  CHECK(settings["permissions"]["deny"] == driver::AgentJson({"Read(.env)", "Bash(rm:*)"}));
  CHECK(settings["permissions"]["ask"] == driver::AgentJson::array({"Edit"}));
  CHECK_FALSE(settings["permissions"].contains("allow"));
  CHECK(settings["disableAllHooks"] == false);
  CHECK(text.str().find("check-call") != std::string::npos);
}

}  // namespace
}  // namespace orch::session
