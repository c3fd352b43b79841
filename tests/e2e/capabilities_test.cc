// What an agent can do, what it is refused before it starts, its version, and orch doctor.
#include <signal.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// Launches the same program with only this folder on its PATH.
Launch with_path(Launch launch, const std::string& path) {
  std::erase_if(launch.env, [](const std::string& entry) { return entry.starts_with("PATH="); });
  launch.env.push_back("PATH=" + path);
  return launch;
}

// Shell commands of an agent that works until orch knows this version.
std::string until_known(const Workspace& workspace, const std::string& version) {
  return "until grep -qs '\"" + version + "\"' '" +
         workspace.file("home/.cache/orch/versions.json") + "'; do sleep 0.02; done; ";
}

// Installs an agent called toy, whose rules were tested with 1.5, and which counts how often it is
// asked for its version. `works` are shell commands that it runs at work.
void install_toy(const Workspace& workspace, const std::string& says,
                 const std::string& works = "") {
  fs::create_directories(workspace.file("home/.config/orch/adapters"));
  workspace.write("home/.config/orch/adapters/toy.json",
                  R"({"manifest": 1, "name": "toy", "tested": "1.5", "idle_known": false,
                      "version": ["--version"], "login": {"files": ["$HOME/token"], "how": "log in"},
                      "program": [")" +
                      workspace.file("toy") + "\"]}");
  fs::remove(workspace.file("toy"));
  workspace.write("toy", "#!/bin/sh\ncase \"$1\" in\n--version) echo x >> '" +
                             workspace.file("asked") + "'; " + says + " ;;\n*) " + works +
                             "echo at work ;;\nesac\n");
  REQUIRE(::chmod(workspace.file("toy").c_str(), 0755) == 0);
}

Launch toy_run(const Workspace& workspace, const std::string& issue) {
  return workspace.orch({"run", issue, "--agent", "toy", "--until", "exit"});
}

std::string version_in_record(const Workspace& workspace, const std::string& issue) {
  const Json version = workspace.run_of(issue).record.at("agent_version");
  return version.is_string() ? version.get<std::string>() : "null";
}

Json finding(const Json& checkup, const std::string& name) {
  for (const Json& one : checkup.at("findings")) {
    if (one.at("name") == name) return one;
  }
  return {};
}

}  // namespace

TEST_CASE("what an agent cannot do is refused before it starts, by the capability's name") {
  const Workspace workspace;
  const std::string file = workspace.write("file", R"({"default": "all"})");
  const std::vector<std::pair<Words, std::string>> refusals{
      {{"--agent", "demo", "--model", "big"}, "supports_model"},
      {{"--agent", "gemini", "--effort", "high"}, "supports_effort"},
      {{"--agent", "gemini", "--system-prompt", file}, "supports_system_prompt"},
      {{"--agent", "demo", "--mode", "headless"}, "supports_non_interactive"},
      // In a task's container its calls are not told to orch.
      {{"--agent", "codex", "--mode", "headless", "--approve", file, "--sandbox", "docker",
        "--container", "none"},
       "supports_permission"},
  };
  for (const auto& [words, capability] : refusals) {
    Words all{"run", "7", "-p", "hi"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = Program(workspace.orch(all)).finish();
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(outcome.err.find(capability) != std::string::npos);
    CHECK(outcome.err.find(words[1]) != std::string::npos);
    CHECK_FALSE(workspace.has_state());
  }
}

TEST_CASE("capabilities are told for all agents, and for one of them") {
  const Workspace workspace;
  const Outcome all = Program(workspace.orch({"agents", "show", "--json"})).finish();
  CHECK(all.code == 0);
  const Json list = Json::parse(all.out);
  REQUIRE(list.size() > 5);
  const Outcome one = Program(workspace.orch({"agents", "show", "codex", "--json"})).finish();
  const Json codex = Json::parse(one.out);
  CHECK(codex.at("supports_effort") == true);
  CHECK(codex.at("supports_permission_requests") == false);
  CHECK(codex.at("available_models").is_array());
  const Outcome text = Program(workspace.orch({"agents", "show", "codex"})).finish();
  CHECK(text.out.find("model_reasoning_effort={}") != std::string::npos);
  const Outcome unknown = Program(workspace.orch({"agents", "show", "nobody"})).finish();
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("nobody") != std::string::npos);
}

TEST_CASE("a run records its agent's version, and is silent about one newer than its rules") {
  const Workspace workspace;
  install_toy(workspace, "echo toy 2.0.1", until_known(workspace, "2.0.1"));
  const Outcome newer = Program(toy_run(workspace, "7")).finish();
  CHECK(newer.code == 0);
  CHECK(newer.err.find("newer") == std::string::npos);
  CHECK(version_in_record(workspace, "7") == "2.0.1");
  const Outcome again = Program(toy_run(workspace, "8")).finish();
  CHECK(again.err.find("newer") == std::string::npos);
  CHECK(content_of(workspace.file("asked")) == "x\n");

  install_toy(workspace, "echo toy 1.4.9", until_known(workspace, "1.4.9"));
  const Outcome older = Program(toy_run(workspace, "9")).finish();
  CHECK(older.err.find("newer") == std::string::npos);
  CHECK(version_in_record(workspace, "9") == "1.4.9");
  CHECK(content_of(workspace.file("asked")) == "x\nx\n");
}

TEST_CASE("an agent is at work before it says its version, and its run does not wait for that") {
  const Workspace workspace;
  const std::string at_work = workspace.file("at-work");
  install_toy(workspace,
              "until [ -e '" + at_work + "' ]; do sleep 0.02; done; echo $$ > '" +
                  workspace.file("hangs") + "'; exec sleep 1000",
              "touch '" + at_work + "'; until [ -s '" + workspace.file("hangs") +
                  "' ]; do sleep 0.02; done; ");
  const Outcome outcome = Program(toy_run(workspace, "7")).finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "at work\n");
  CHECK(version_in_record(workspace, "7") == "null");
  const int asked = std::stoi(content_of(workspace.file("hangs")));
  CHECK((::kill(asked, 0) == -1 && errno == ESRCH));  // nothing is left of the question
}

TEST_CASE("the version of an agent in the background is recorded, too") {
  const Workspace workspace;
  install_toy(workspace, "echo toy 2.0.1", until_known(workspace, "2.0.1"));
  Launch launch = toy_run(workspace, "7");
  launch.argv.emplace_back("--detach");
  CHECK(Program(launch).finish().code == 0);
  CHECK(Program(workspace.orch({"wait", "7", "--until", "exited"})).finish().code == 0);
  CHECK(version_in_record(workspace, "7") == "2.0.1");
}

TEST_CASE("the doctor says what is missing where there is nothing, and what to do") {
  const Workspace workspace;
  fs::create_directory(workspace.file("empty"));
  const Launch launch = with_path(workspace.orch({"doctor"}), workspace.file("empty"));
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.out);
  CHECK(outcome.code == 1);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("none is on the PATH") != std::string::npos);
  CHECK(outcome.out.find("do: install one") != std::string::npos);
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("the doctor sees an agent, its version and its login, and opens no token") {
  const Workspace workspace;
  install_toy(workspace, "echo toy 2.0.1");
  fs::create_directory(workspace.file("empty"));
  const Launch launch = with_path(workspace.orch({"doctor", "--json"}), workspace.file("empty"));
  const Outcome before = Program(launch).finish();
  CHECK(before.code == 0);
  const Json without = finding(Json::parse(before.out), "toy");
  CHECK(without.at("level") == "note");
  CHECK(without.at("version") == "2.0.1");
  CHECK(without.at("login").is_null());
  CHECK(without.at("remedy").get<std::string>().find("log in") != std::string::npos);

  // Opening a pipe without a writer would block for ever.
  REQUIRE(::mkfifo(workspace.file("home/token").c_str(), 0600) == 0);
  const Json checkup = Json::parse(Program(launch).finish().out);
  CHECK(checkup.at("can_run") == true);
  CHECK(finding(checkup, "toy").at("login") == workspace.file("home/token"));
  CHECK(finding(checkup, "state").at("level") != "bad");
  CHECK(finding(checkup, "tmux").at("level") == "note");
  CHECK(content_of(workspace.file("asked")) == "x\n");
}

TEST_CASE("the doctor tells a state directory in which nothing can be written") {
  const Workspace workspace;
  install_toy(workspace, "echo toy 1.5");
  const Outcome outcome =
      Program(workspace.orch({"doctor", "--json", "--state-dir", "/proc/orch"})).finish();
  CHECK(outcome.code == 1);
  const Json state = finding(Json::parse(outcome.out), "state");
  CHECK(state.at("level") == "bad");
  CHECK(state.at("remedy").get<std::string>().find("--state-dir") != std::string::npos);
}
