// What cannot be read is not missing: nothing is cut, removed or called gone for it.
// tests/unreadable does the same with every read of every command.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "workspace.h"

using namespace orch::e2e;
namespace fs = std::filesystem;

namespace {

// A launch in which the first read below `path` that has the name of a call fails, and all later
// ones of the same path.
Launch with_unreadable(Launch launch, const std::string& path, int error) {
  launch.env.push_back("LD_PRELOAD=" ORCH_UNREADABLE);
  launch.env.push_back("ORCH_UNREADABLE_BELOW=" + path);
  launch.env.push_back("ORCH_UNREADABLE_AT=1");
  launch.env.push_back("ORCH_UNREADABLE_ERRNO=" + std::to_string(error));
  return launch;
}

Json only_session(const Workspace& workspace) {
  const Json all = Json::parse(run_orch(workspace, {"sessions", "--json"}).out);
  REQUIRE(all.size() == 1);
  return all[0];
}

std::string folder_of_run(const Workspace& workspace) {
  return workspace.state() + "/runs/" + only_session(workspace).at("run").get<std::string>();
}

// The folder of a run of which host, guardian and agent were killed at once, so that nobody has
// closed it.
std::string left_by_dead_host(const Workspace& workspace) {
  REQUIRE(Program(workspace.demo("hang", {"-d", "-p", "hello"})).finish().code == 0);
  const pid_t host = only_session(workspace).at("pid");
  std::ifstream children("/proc/" + std::to_string(host) + "/task/" + std::to_string(host) +
                         "/children");
  std::vector<pid_t> family{host};
  for (pid_t child = 0; children >> child;) family.push_back(child);
  for (const pid_t process : family) ::kill(process, SIGSTOP);
  for (const pid_t process : family) ::kill(process, SIGKILL);
  for (int look = 0; look < 500 && only_session(workspace).at("life") == "running"; ++look) {
    ::usleep(10'000);
  }
  return folder_of_run(workspace);
}

// A link to itself: ELOOP for everybody, root as well.
void make_unreadable(const std::string& path) {
  fs::remove(path);
  fs::create_symlink(fs::path(path).filename(), path);
}

}  // namespace

TEST_CASE("the events of a dead host's run are not cut where they cannot be read") {
  const Workspace workspace;
  const std::string run = left_by_dead_host(workspace);
  const std::string events = run + "/events.jsonl";
  std::string text = content_of(events);
  for (int line = 0; line < 3'000; ++line) {
    text += R"({"event":"output","ms":)" + std::to_string(line) + R"(,"text":"line"})" + "\n";
  }
  text += R"({"event":"output","te)";
  std::ofstream(events) << text;
  const auto gc = [&](const char* below, int error) {
    return Program(with_unreadable(workspace.orch({"gc"}), run + below, error)).finish();
  };
  for (const int error : {EIO, ESTALE, EACCES, EMFILE}) {
    for (const char* file : {"/events.jsonl", "/run.json", "/result.json"}) {
      const Outcome swept = gc(file, error);
      INFO(swept.err);
      CHECK(holds(swept.err, std::string("orch: kept session orch-7")));
      CHECK(holds(swept.err, file));
      CHECK(holds(swept.err, std::strerror(error)));
      CHECK(content_of(events) == text);
      CHECK_FALSE(fs::exists(run + "/result.json"));
      CHECK(only_session(workspace).at("life") == "errored");
    }
  }
  CHECK(run_orch(workspace, {"gc"}).code == 0);
  CHECK(content_of(events).starts_with(text.substr(0, text.rfind('\n') + 1)));
  CHECK(holds(content_of(events), R"("reason":"internal")"));
  CHECK(workspace.run_of().result.at("reason") == "internal");
}

TEST_CASE("a session whose file or lock cannot be read is neither gone nor dead") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("hang", {"-d", "-p", "hello"})).finish().code == 0);
  const std::string name =
      workspace.state() + "/sessions/" + only_session(workspace).at("key").get<std::string>();
  const std::string run = folder_of_run(workspace);
  const auto with = [&](const Words& words, const std::string& file) {
    return Program(with_unreadable(workspace.orch(words), file, EIO)).finish();
  };
  for (const std::string& file : {name + ".json", name + ".lock"}) {
    for (const Words& words : {Words{"gc", "--older-than", "0s"}, Words{"undo", "7"},
                               Words{"sessions"}, Words{"run", "7", "--", "true"}}) {
      CAPTURE(file, words);
      const Outcome outcome = with(words, file);
      INFO(outcome.out + outcome.err);
      if (words[0] != "undo") {
        CHECK(holds(outcome.out + outcome.err, fs::path(file).filename().string()));
        CHECK(holds(outcome.out + outcome.err, std::strerror(EIO)));
      }
      CHECK(fs::exists(name + ".json"));
    }
  }
  CHECK(fs::exists(run + "/run.json"));
  for (const Words& words : {Words{"stop", "7"}, Words{"kill", "7", "--now"}}) {
    CHECK(with(words, name + ".json").code != 0);
    CHECK(fs::exists(name + ".json"));
  }
  // The session's file names its host, who ends it whether or not its lock can be read from
  // outside.
  CHECK(with({"kill", "7", "--now"}, name + ".lock").code == 0);
  CHECK(Json::parse(content_of(run + "/result.json")).at("state") == "cancelled");
}

TEST_CASE("an issue whose file in the queue cannot be read was not taken out of it") {
  const Workspace workspace;
  const Gate gate(workspace.file("gate"));
  Program run(workspace.shell("read word < " + workspace.file("gate"), {"8", "--jobs", "1"}));
  const std::string sessions = workspace.state() + "/sessions";
  std::string queued;
  for (int look = 0; look < 500 && queued.empty(); ++look, ::usleep(10'000)) {
    if (!fs::exists(sessions)) continue;
    for (const std::string& file : names_in(sessions)) {
      if (file.starts_with("orch-8@") && file.ends_with(".json")) queued = sessions + "/" + file;
    }
  }
  REQUIRE_FALSE(queued.empty());
  make_unreadable(queued);
  gate.let_through();
  const Outcome outcome = run.finish();
  INFO(outcome.err);
  CHECK_FALSE(holds(outcome.err, "took it out of the queue"));
  CHECK(outcome.code != 137);
  CHECK(holds(outcome.err, fs::path(queued).filename().string()));
  CHECK(fs::is_symlink(queued));
}
