// The host is killed: its guardian ends what is left and corrects the files.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace fs = std::filesystem;

namespace {

// The host of a process: its parent, or the parent of the run's init if there is one in between.
pid_t host_of(pid_t pid) {
  std::string id, name, state;
  pid_t parent = 0;
  std::ifstream("/proc/" + std::to_string(pid) + "/stat") >> id >> name >> state >> parent;
  std::ifstream("/proc/" + std::to_string(parent) + "/comm") >> name;
  return name == "run-init" ? host_of(parent) : parent;
}

// Kills the host and waits until its guardian has done its work.
Outcome kill_host(Program& program) {
  const pid_t guardian = guardian_of(program.pid());
  REQUIRE(guardian > 0);
  program.signal(SIGKILL);
  Outcome outcome = program.finish();
  REQUIRE(ends(guardian));
  return outcome;
}

// A process that leaves its session, its parents and its environment, and prints its pid.
const std::string kDaemon =
    "(env -i setsid /bin/sh -c 'trap \"\" HUP TERM; echo daemon $$.; while :; do /bin/sleep 1; "
    "done' &); ";

pid_t pid_after(const std::string& label, const std::string& text) {
  return std::stoi(text.substr(text.find(label) + label.size()));
}

// The run's init, the process between the agent and its host, if there is one.
std::vector<pid_t> orphaned_helpers(pid_t agent) {
  std::string id, name, state;
  pid_t parent = 0;
  std::ifstream("/proc/" + std::to_string(agent) + "/stat") >> id >> name >> state >> parent;
  std::ifstream("/proc/" + std::to_string(parent) + "/comm") >> name;
  return name == "run-init" ? std::vector<pid_t>{parent} : std::vector<pid_t>{};
}

// Checks what is left of a run whose host was killed: no process, and files that say so.
void check_abandoned(const RunFolder& run) {
  CHECK(living_with_mark(run.id()).empty());
  CHECK(run.record.at("status") == "failed");
  CHECK(run.record.at("ended").is_string());
  CHECK(run.result.at("reason") == "internal");
  CHECK(run.result.at("code") == 125);
  REQUIRE_FALSE(run.events.empty());
  CHECK(run.events.back().at("event") == "exit");
  CHECK(run.events.back().at("reason") == "internal");
}

// What a host sends to its guardian when a run starts.
std::string watch_message(const std::string& run, const std::string& run_dir) {
  return "+" + run + '\0' + run_dir + '\0' + "orch-7@00000000" + '\0';
}

// Runs `orch internal guardian` with this message, for a host that dies at once.
Launch guardian_told(const Workspace& workspace, const std::string& message) {
  Launch launch = workspace.orch({"internal", "guardian"});
  launch.input = message;
  return launch;
}

const char* const kRecord = R"({"id": "20261121T211048-7-0a1b", "issue": "7", "session": "orch-7",
  "agent": "demo", "agent_version": null, "argv": ["demo"], "cwd": "/", "repository": "/",
  "manager": "native", "manager_reason": "", "parent": null, "status": "running",
  "started": "2026-11-21T21:10:48.123Z", "ended": null})";
// Events as a run of version 1 wrote them.
const char* const kEvents =
    R"({"v":1,"ms":10,"event":"status","status":"idle","cause":null,"from":"starting"}
{"v":1,"ms":20,"event":"message","id":"m1","phase":"sent","reason":null}
{"v":1,"ms":30,"event":"status","status":"working","cause":"tool","from":"idle"}
{"v":1,"ms":40,"event":"turn","n":2}
{"ms":41,"event":"usage","in":1000,"out":10,"cached":200,"cost_usd":0.25,"source":"stream"}
{"ms":42,"event":"gate","n":1,"phase":"began","command":"make"}
{"ms":43,"event":"gate","n":1,"phase":"ended","command":"make","code":0,"duration_ms":1,"timed_out":false,"output":"built"}
{"ms":44,"event":"gate","n":2,"phase":"ended","command":"test","code":2,"duration_ms":3,"timed_out":true,"output":"1 failed"}
{"ms":45,"event":"gate","n":3,"phase":"began","command":"make"}
{"ms":46,"event":"usage","in":500,"out":5,"cached":0,"cost_usd":null,"source":"stream"}
{"v":1,"ms":50,"event":"outp)";

}  // namespace

TEST_CASE("a host that is killed leaves no process, and no file says that it lives",
          "[containment]") {
  const Workspace workspace;
  Program program(workspace.shell(
      "trap '' TERM HUP INT; sleep 1000 & setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep "
      "1000' &); env -i setsid sleep 1000 & echo env $!; echo ready; while :; do read x; done",
      {"--output", "raw"}));
  program.wait_for_output("ready");
  const std::string& out = program.output();
  const pid_t bare = std::stoi(out.substr(out.find("env ") + 4));
  CHECK(kill_host(program).code == 128 + SIGKILL);
  check_abandoned(workspace.run_of());
  CHECK(ends(bare));
  CHECK(names_in(workspace.state() + "/sessions").empty());
  CHECK(names_in(workspace.state() + "/sockets").empty());
}

TEST_CASE("whoever leaves session, parents and environment ends with its run",
          "[containment][old-kernel]") {
  const Workspace workspace;
  Program program(workspace.shell(kDaemon + "echo ready; read x", {"--output", "raw"}));
  program.wait_for_output(".");
  const pid_t daemon = pid_after("daemon ", program.output());
  SECTION("its host is killed") { kill_host(program); }
  SECTION("its host is told to end") {
    program.signal(SIGTERM);
    CHECK(program.finish().code == 143);
    CHECK(living_with_mark(workspace.run_of().id()).empty());
  }
  SECTION("its run is killed") {
    CHECK(Program(workspace.orch({"kill", "7"})).finish().code == 0);
    program.finish();
  }
  CHECK(ends(daemon));
}

TEST_CASE("of two runs of a host, each ends with those who escaped from it", "[containment]") {
  const Workspace workspace;
  const std::string script =
      "name=${ORCH_RUN#*-}; name=${name%-*}; (env -i setsid /bin/sh -c 'trap \"\" HUP TERM; "
      "echo \"daemon of $0 is $$ whole $0\"; while :; do /bin/sleep 1; done' \"$name\" &); read x";
  Program program(workspace.orch({"run", "a", "b", "--output", "json", "--", "sh", "-c", script}));
  program.wait_for_output("whole a");
  program.wait_for_output("whole b");
  const pid_t of_a = pid_after("daemon of a is ", program.output());
  const pid_t of_b = pid_after("daemon of b is ", program.output());
  CHECK(Program(workspace.orch({"kill", "a"})).finish().code == 0);
  CHECK(ends(of_a));
  CHECK(::kill(of_b, 0) == 0);
  program.signal(SIGTERM);
  program.finish();
  CHECK(ends(of_b));
}

TEST_CASE("who says that he is a guardian ends with the run all the same", "[containment]") {
  const Workspace workspace;
  Program program(workspace.shell(
      "ORCH_GUARDIAN=1 setsid sh -c 'trap \"\" HUP TERM; echo daemon $$.; while :; do sleep 1; "
      "done' & read x",
      {"--output", "raw"}));
  program.wait_for_output(".");
  const pid_t impostor = pid_after("daemon ", program.output());
  SECTION("its host is killed") { kill_host(program); }
  SECTION("its host is told to end") {
    program.signal(SIGTERM);
    program.finish();
  }
  CHECK(ends(impostor));
}

TEST_CASE("every session of a host that is killed is ended", "[containment][old-kernel]") {
  const Workspace workspace;
  Program program(workspace.orch(
      {"run", "a", "b", "--agent", "demo", "--until", "exit", "-p", "work", "--output", "json"}));
  for (const char* session : {"orch-a", "orch-b"}) {
    program.wait_for_output("\"session\":\"" + std::string(session));
  }
  kill_host(program);
  for (const char* issue : {"a", "b"}) check_abandoned(workspace.run_of(issue));
  CHECK(names_in(workspace.state() + "/sessions") == std::vector<std::string>{});
}

TEST_CASE("an agent's own orch ends with the run around it, and its files tell the truth",
          "[containment]") {
  const Workspace workspace;
  Program program(workspace.shell(
      "trap '' HUP; " ORCH_PROGRAM
      " run inner --output raw -- "
      "sh -c 'trap \"\" HUP TERM; echo agent $$ chain $ORCH_RUNS.; while :; do read x; done'",
      {"--output", "raw"}, "outer"));
  program.wait_for_output(".");
  const std::string& out = program.output();
  const pid_t inner = host_of(std::stoi(out.substr(out.find("agent ") + 6)));
  const pid_t inner_guardian = guardian_of(inner);
  REQUIRE(inner_guardian > 0);
  kill_host(program);
  CHECK(ends(inner));
  CHECK(ends(inner_guardian));
  const RunFolder outer_run = workspace.run_of("outer");
  const RunFolder inner_run = workspace.run_of("inner");
  CHECK(out.find("chain " + outer_run.id() + ":" + inner_run.id() + ".") != std::string::npos);
  check_abandoned(outer_run);
  CHECK(living_with_mark(inner_run.id()).empty());
  CHECK(inner_run.record.at("ended").is_string());
  CHECK(names_in(workspace.state() + "/sessions").empty());
}

TEST_CASE("a host that ends cleanly leaves no guardian and nothing for it to do", "[containment]") {
  const Workspace workspace;
  Program program(workspace.shell("echo ready; read x", {"--output", "raw"}));
  program.wait_for_output("ready");
  const pid_t guardian = guardian_of(program.pid());
  REQUIRE(guardian > 0);
  program.signal(SIGTERM);
  check_ending(workspace, program.finish(), "terminated", 143);
  CHECK(ends(guardian));
}

TEST_CASE("a guardian makes the files of an abandoned run tell the truth", "[containment]") {
  const Workspace workspace;
  const std::string run = "20261121T211048-7-0a1b";
  const std::string folder = "state/runs/" + run;
  workspace.write(folder + "/run.json", kRecord);
  workspace.write(folder + "/events.jsonl", kEvents);
  workspace.write(folder + "/transcript.txt", "");
  workspace.write(folder + "/result.json.aB3dE9", "{\"half");
  workspace.write("state/sessions/orch-7@00000000.json.aB3dE9", "{\"half");
  REQUIRE(::mkfifo(workspace.file(folder + "/notices").c_str(), 0600) == 0);

  Launch agent = workspace.orch({});
  agent.argv = {"/bin/sh", "-c", "setsid sleep 1000 & echo ready; sleep 1000"};
  agent.env.push_back("ORCH_RUN=" + run);
  Program abandoned(agent);
  abandoned.wait_for_output("ready");
  CHECK(
      Program(guardian_told(workspace, watch_message(run, workspace.file(folder)))).finish().code ==
      0);

  CHECK(names_in(workspace.state() + "/sessions") == std::vector<std::string>{});
  const RunFolder left = workspace.run_of();
  check_abandoned(left);
  CHECK(left.events.size() == 11);  // the torn line was replaced by the exit
  CHECK(left.events.back().at("ms").get<int64_t>() >= 50);
  CHECK(left.result.at("last_status") == "working");
  CHECK(left.result.at("last_cause") == "tool");
  CHECK(left.result.at("turns") == 2);
  CHECK(left.result.at("messages_sent") == 1);
  CHECK(
      left.result.at("usage") ==
      Json({{"in", 1500}, {"out", 15}, {"cached", 200}, {"cost_usd", 0.25}, {"source", "stream"}}));
  const Json made = {{"n", 1}, {"command", "make"}, {"code", 0}, {"ms", 1}, {"timed_out", false}};
  const Json killed = {{"n", 2},  {"command", "test"}, {"code", 2},
                       {"ms", 3}, {"timed_out", true}, {"output", "1 failed"}};
  CHECK(left.result.at("gates") == Json::array({made, killed}));
  CHECK(left.record.at("verdict").at("usage") == left.result.at("usage"));
  CHECK(left.record.at("verdict").at("gates").size() == 2);
  CHECK_FALSE(fs::exists(left.path + "/result.json.aB3dE9"));
  CHECK_FALSE(fs::exists(left.path + "/notices"));
}

TEST_CASE("a run that was abandoned before its first event has a session record and the exit",
          "[containment]") {
  const Workspace workspace;
  const std::string run = "20261121T211048-7-0a1b";
  const std::string folder = "state/runs/" + run;
  workspace.write(folder + "/run.json", kRecord);
  workspace.write(folder + "/events.jsonl", "{\"ms\":0,\"event\":\"sess");
  workspace.write(folder + "/transcript.txt", "");
  Program(guardian_told(workspace, watch_message(run, workspace.file(folder)))).finish();
  const RunFolder left = workspace.run_of();
  check_abandoned(left);
  REQUIRE(left.events.size() == 2);
  CHECK(left.events.front().at("v") == 2);
  CHECK(left.events.front().at("run") == run);
  CHECK(left.events.front().at("started") == "2026-11-21T21:10:48.123Z");
}

TEST_CASE("what the files already say of a run's end stands", "[containment]") {
  const Workspace workspace;
  const std::string run = "20261121T211048-7-0a1b";
  const std::string folder = "state/runs/" + run;
  workspace.write(folder + "/run.json", kRecord);
  workspace.write(
      folder + "/events.jsonl",
      "{\"v\":1,\"ms\":10,\"event\":\"exit\",\"code\":139,\"reason\":\"agent_signal\"}\n");
  workspace.write(folder + "/transcript.txt", "");
  Program(guardian_told(workspace, watch_message(run, workspace.file(folder)))).finish();
  const RunFolder left = workspace.run_of();
  CHECK(left.record.at("status") == "failed");
  CHECK(left.result.at("reason") == "agent_signal");
  CHECK(left.result.at("code") == 139);
  CHECK(left.result.at("agent_signal") == 11);
  CHECK(left.events.size() == 1);
}

TEST_CASE("a guardian leaves nothing of a run that never came to be", "[containment]") {
  const Workspace workspace;
  for (const char* name : {"prompt.md", "output.cast", "events.jsonl", "transcript.txt"}) {
    workspace.write("state/runs/gone/" + std::string(name), "begun");
  }
  workspace.write("state/runs/gone/run.json.aB3dE9", "{\"half");
  Program(guardian_told(workspace, watch_message("gone", workspace.state() + "/runs/gone")))
      .finish();
  CHECK(names_in(workspace.state() + "/runs").empty());
}

TEST_CASE("the worktree of a run that never came to be goes with its place in the queue",
          "[containment]") {
  const Workspace workspace;
  Launch git = workspace.orch({});
  git.argv = {"/bin/sh", "-ec",
              "git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one; "
              "git worktree add -q -b orch/7 ../project.orch/7; echo $$"};
  const Outcome made = Program(git).finish();
  REQUIRE(made.code == 0);
  const std::string repository = fs::canonical(workspace.project()).string();
  const Json queued{{"key", "orch-7@00000000"},
                    {"name", "orch-7"},
                    {"issue", "7"},
                    {"manager", "native"},
                    {"status", "queued"},
                    {"agent", "demo"},
                    {"command", Words{"demo"}},
                    {"cwd", repository},
                    {"repository", repository},
                    {"run", ""},
                    {"run_dir", ""},
                    {"worktree", repository + ".orch/7"},
                    {"pid", std::stoi(made.out)},  // a process that has ended
                    {"started", "2026-11-21T21:10:48.123Z"}};
  workspace.write("state/sessions/orch-7@00000000.json", queued.dump());
  workspace.write("state/sessions/orch-7@00000000.lock", "");
  workspace.write("state/runs/gone/events.jsonl", "");
  const std::string message = watch_message("gone", workspace.state() + "/runs/gone");
  CHECK(Program(guardian_told(workspace, message + "=" + workspace.state() + '\0')).finish().code ==
        0);
  CHECK(names_in(workspace.state() + "/sessions").empty());
  CHECK(names_in(workspace.state() + "/runs").empty());
  CHECK_FALSE(fs::exists(repository + ".orch"));
}

TEST_CASE("an agent whose host and guardian were killed ends when its session is killed",
          "[containment]") {
  const Workspace workspace;
  Program program(workspace.shell(
      "trap '' TERM HUP INT; (trap '' TERM; setsid sleep 1000 &) ; echo agent $$.; while :; do "
      "sleep 1; done",
      {"--output", "raw"}));
  program.wait_for_output(".");
  const pid_t agent = pid_after("agent ", program.output());
  const pid_t guardian = guardian_of(program.pid());
  REQUIRE(guardian > 0);
  // An init ends its descendants when its host is gone, unless it is stopped.
  const std::vector<pid_t> inits = orphaned_helpers(agent);
  for (const pid_t pid : inits) REQUIRE(::kill(pid, SIGSTOP) == 0);
  REQUIRE(::kill(guardian, SIGKILL) == 0);
  program.signal(SIGKILL);
  program.finish();
  const std::string run = names_in(workspace.state() + "/runs").front();
  REQUIRE(::kill(agent, 0) == 0);

  const Outcome swept = Program(workspace.orch({"gc"})).finish();
  CHECK(swept.err.find("processes live") != std::string::npos);
  CHECK(names_in(workspace.state() + "/sessions").size() >= 1);
  if (inits.empty()) {  // an init that is asked to end goes on, and ends them all
    const Outcome politely = Program(workspace.orch({"kill", "7"})).finish();
    CHECK(politely.code == 125);
    CHECK(politely.err.find("kill --now") != std::string::npos);
    CHECK(names_in(workspace.state() + "/sessions").size() >= 1);
  }
  const Outcome killed = Program(workspace.orch({"kill", "--now", "7"})).finish();
  CHECK(killed.code == 0);
  CHECK(ends(agent));
  CHECK(living_with_mark(run).empty());
  CHECK(names_in(workspace.state() + "/sessions").empty());
  CHECK(workspace.run_of().result.at("reason") == "internal");
}

namespace {

// Kills the host and the guardian of issue 7's run, and returns the outer temporary folder that the
// run leaves.
std::string leave_temporary_folder(const Workspace& workspace) {
  Program program(workspace.shell("echo begun; exec sleep 1000", {"--approve", "all", "--sandbox",
                                                                  "landlock", "--output", "raw"}));
  program.wait_for_output("begun");  // its session is listed by then, and can be killed
  const pid_t guardian = guardian_of(program.pid());
  REQUIRE(guardian > 0);
  std::string run;  // the newest one of this issue
  for (const std::string& name : names_in(workspace.state() + "/runs")) {
    if (name.find("-7-") != std::string::npos) run = std::max(run, name);
  }
  const Json plan = Json::parse(content_of(workspace.state() + "/runs/" + run + "/fence.json"));
  const fs::path scratch = plan.at("scratch").get<std::string>();
  const std::string outer = scratch.parent_path();
  REQUIRE(fs::exists(outer + "/owner"));
  fs::create_symlink("/etc/passwd", scratch / "link");
  REQUIRE(::kill(guardian, SIGKILL) == 0);
  program.signal(SIGKILL);
  program.finish();
  const auto living = living_with_mark(run);
  if (!living.empty()) {  // a living agent may still use it
    Program(workspace.shell("true", {}, "3")).finish();
    CHECK(fs::exists(outer));
  }
  const Outcome killed = Program(workspace.orch({"kill", "--now", "7"})).finish();
  INFO(killed.err);
  CHECK(killed.code == 0);
  CHECK(living_with_mark(run).empty());
  return outer;
}

}  // namespace

TEST_CASE("the temporary folder of a run whose host was killed goes with the next start, or gc",
          "[containment]") {
  const Workspace workspace;
  SECTION("the next start") {
    const std::string outer = leave_temporary_folder(workspace);
    CHECK(Program(workspace.shell("true", {}, "9")).finish().code == 0);
    CHECK_FALSE(fs::exists(outer));
  }
  SECTION("gc") {
    // /tmp is shared: a test that starts at the same time may remove the folder at any moment.
    constexpr int kMostTries = 5;
    bool stays = false;
    for (int tries = 0; tries < kMostTries && !stays; ++tries) {
      const std::string outer = leave_temporary_folder(workspace);
      const Outcome only_said = Program(workspace.orch({"gc", "--dry-run"})).finish();
      stays = only_said.out.find(outer) != std::string::npos && fs::exists(outer);
      CHECK(Program(workspace.orch({"gc"})).finish().code == 0);
      CHECK_FALSE(fs::exists(outer));
    }
    CHECK(stays);
  }
}

namespace {

// A cgroup of the freezer (version 1), in which a process neither runs nor ends.
class Freezer {
 public:
  Freezer() : path_("/sys/fs/cgroup/freezer/orch-test-" + std::to_string(::getpid())) {
    std::error_code failure;
    fs::create_directory(path_, failure);
  }
  ~Freezer() {
    thaw();
    std::error_code failure;
    for (int tries = 0; tries < 100 && fs::exists(path_) && ::rmdir(path_.c_str()) != 0; ++tries) {
      ::usleep(20'000);  // a killed process leaves it in this time
    }
  }
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;

  bool works() const { return ::access((path_ + "/freezer.state").c_str(), W_OK) == 0; }
  void freeze(pid_t pid) const {
    std::ofstream(path_ + "/cgroup.procs") << pid << std::flush;
    std::ofstream(path_ + "/freezer.state") << "FROZEN" << std::flush;
    const std::string word = "FROZEN";
    for (std::string state; state != word;) std::ifstream(path_ + "/freezer.state") >> state;
  }
  void thaw() const { std::ofstream(path_ + "/freezer.state") << "THAWED" << std::flush; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("kill --now does not say that all is done while a frozen process lives on",
          "[containment]") {
  const Workspace workspace;
  const Freezer freezer;
  if (!freezer.works()) return orch::say_skipped("no group of the freezer can be made here");
  Program program(workspace.shell(
      "setsid /bin/sleep 1000 & echo helper $!.; while :; do sleep 1; done", {"--output", "raw"}));
  program.wait_for_output(".");
  const pid_t helper = pid_after("helper ", program.output());
  freezer.freeze(helper);
  const Outcome killed = Program(workspace.orch({"kill", "--now", "7"})).finish();
  INFO(killed.err);
  CHECK(killed.code == 125);
  CHECK(killed.err.find("pid " + std::to_string(helper)) != std::string::npos);
  freezer.thaw();
  CHECK(ends(helper));
  program.finish();
}

TEST_CASE("in a pid namespace with no /proc of its own nothing is started", "[containment]") {
  const Workspace workspace;
  Launch launch = workspace.shell("echo started");
  const std::vector<std::string> inside{"/usr/bin/unshare", "--pid", "--fork", "--kill-child"};
  Launch probe = launch;
  probe.argv = inside;
  probe.argv.push_back("/bin/true");
  if (Program(probe).finish().code != 0) {
    orch::say_skipped("unshare --pid is not permitted here");
    return;
  }
  launch.argv.insert(launch.argv.begin(), inside.begin(), inside.end());
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 125);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("/proc is not that of this pid namespace") != std::string::npos);
}
