#include "session/agent_process.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
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
  CHECK(text.str().find("'" + dir->path() + "/orch' 'internal' 'check-call'") != std::string::npos);
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
  AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  CHECK(setup.launch.env.at("GEMINI_CLI_SYSTEM_SETTINGS_PATH") == file);
  DeafObserver observer;
  const base::Status started = agent.start(observer);
  REQUIRE_FALSE(started);
  CHECK(started.error().text.find("agent gemini: its settings for all users") != std::string::npos);
}

TEST_CASE("an agent whose hooks cannot be set up is not started: its calls would not be checked") {
  const StateDir state;
  loop::Loop loop;
  DeafObserver observer;
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  SessionSetup setup = checked_gemini(state, "");
  std::filesystem::create_directories(dir->hook_settings_file() + "/in the way");
  AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  const base::Status started = agent.start(observer);
  REQUIRE_FALSE(started);
  CHECK(started.error().text.find(dir->hook_settings_file()) != std::string::npos);
}

// A container that remembers what it is shown.
class ShownEnclosure final : public Enclosure {
 public:
  void enter(const Entry&, std::vector<std::string>&, std::vector<std::string>&) const override {}
  void end_marked(const std::string&) override {}
  void find_life_signs(const std::string&,
                       std::function<void(std::optional<pty::LifeSigns>)>) override {}
  void close(std::function<void()>) override {}
  Shown show(const std::string& folder, const std::string&) override {
    shown = folder;
    return {"/inside", {"/there/ld", "/there/orch"}};
  }
  bool holds(pid_t) const override { return false; }
  std::string_view kind() const override { return "toy"; }
  std::string_view network() const override { return "none"; }

  std::string shown;
};

TEST_CASE("in a container the hooks are what is shown there, and its user may read it") {
  namespace fs = std::filesystem;
  const StateDir state;
  loop::Loop loop;
  SessionSetup setup = checked_gemini(state, "");
  const auto enclosure = std::make_shared<ShownEnclosure>();
  setup.enclosure = enclosure;
  setup.hook_program.clear();
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  const AgentProcess agent(loop, setup, *dir, [](std::string_view) {});
  CHECK(enclosure->shown == dir->shown_folder());
  CHECK(setup.launch.env.at("GEMINI_CLI_SYSTEM_SETTINGS_PATH") == "/inside/hooks.json");
  const std::string file = dir->shown_folder() + "/hooks.json";
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  CHECK(text.str().find(
            "'/there/ld' '/there/orch' 'internal' 'check-call' '--inside' '/inside/socket'") !=
        std::string::npos);
  CHECK(fs::status(file).permissions() == static_cast<fs::perms>(0644));
  CHECK(fs::status(dir->shown_folder()).permissions() == static_cast<fs::perms>(0755));
  CHECK((fs::status(dir->path()).permissions() & fs::perms::others_all) == fs::perms::none);
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

// The settings and the words with which an agent is started whose calls are checked.
std::pair<driver::AgentJson, std::vector<std::string>> checked_start(
    const char* agent, Mode mode, const std::string& user = "", const std::string& project = "") {
  const StateDir state;
  loop::Loop loop;
  SessionSetup setup;
  setup.manifest = agent_named(agent).manifest;
  setup.launch.argv = setup.manifest->program;
  setup.launch.argv.insert(setup.launch.argv.end(), setup.manifest->asks.begin(),
                           setup.manifest->asks.end());
  setup.cwd = state.path() + "/project";
  const std::string home = state.path() + "/home";
  for (const auto& [folder, text] : {std::pair{home, user}, std::pair{setup.cwd, project}}) {
    std::filesystem::create_directories(folder + "/.claude");
    if (!text.empty()) std::ofstream(folder + "/.claude/settings.json") << text;
  }
  setup.launch.env["HOME"] = home;
  setup.mode = mode;
  setup.hook_program = "/bin/orch";
  setup.check_socket = "/run/orch.sock";
  const auto dir = store::RunDir::create(state.path(), std::chrono::system_clock::now(), "t1");
  REQUIRE(dir);
  const AgentProcess process(loop, setup, *dir, [](std::string_view) {});
  std::ostringstream text;
  text << std::ifstream(dir->hook_settings_file()).rdbuf();
  return {driver::parse_agent_json(text.str()), setup.launch.argv};
}

TEST_CASE(
    "without a terminal claude asks as well, so that a call is decided whose hook was killed") {
  const driver::AgentJson headless = checked_start("claude", Mode::kHeadless).first;
  const driver::AgentJson& asked = headless["permissions"]["ask"];
  CHECK(std::find(asked.begin(), asked.end(), "Bash") != asked.end());
  const driver::AgentJson drawn = checked_start("claude", Mode::kInteractive).first;
  CHECK_FALSE(drawn.contains("permissions"));
  for (const driver::AgentJson& settings : {headless, drawn}) {
    CHECK(settings["hooks"].contains("PreToolUse"));
    CHECK_FALSE(settings.contains("{asking}"));
  }
}

TEST_CASE(
    "on a terminal claude asks about calls that its settings allow, should the hook be killed") {
  const auto asks_for_bash = [](const driver::AgentJson& settings) {
    const driver::AgentJson asked =
        settings.value("/permissions/ask"_json_pointer, driver::AgentJson::array());
    return std::find(asked.begin(), asked.end(), "Bash") != asked.end();
  };
  const char* const allows = R"x({"permissions":{"allow":["Bash(git:*)"]}})x";
  CHECK(asks_for_bash(checked_start("claude", Mode::kInteractive, allows).first));
  CHECK(asks_for_bash(checked_start("claude", Mode::kInteractive, "not JSON").first));
  CHECK(asks_for_bash(checked_start("claude", Mode::kInteractive, "", allows).first));
  CHECK_FALSE(
      asks_for_bash(checked_start("claude", Mode::kInteractive, R"({"model":"opus"})").first));
}

TEST_CASE("a project's rules that ask come next to those of the call check") {
  const driver::AgentJson asked =
      checked_start("claude", Mode::kHeadless, "",
                    R"x({"permissions":{"ask":["Read(secret)"]},"hooks":{"PreToolUse":[{}]}})x")
          .first["permissions"]["ask"];
  CHECK(std::find(asked.begin(), asked.end(), "Bash") != asked.end());
  CHECK(std::find(asked.begin(), asked.end(), "Read(secret)") != asked.end());
}

TEST_CASE("gemini asks by a dialog about tools that the user's settings allow") {
  CHECK(checked_start("gemini", Mode::kInteractive).first["tools"]["allowed"] ==
        driver::AgentJson::array());
}

TEST_CASE("an agent whose dialogs come before its hooks is not made to ask") {
  const std::vector<std::string> words = checked_start("qwen", Mode::kInteractive).second;
  CHECK(std::count(words.begin(), words.end(), "--approval-mode") == 1);
  CHECK(std::count(words.begin(), words.end(), "yolo") == 1);
  CHECK(std::count(words.begin(), words.end(), "default") == 0);
}

}  // namespace
}  // namespace orch::session
