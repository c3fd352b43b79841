// Sessions as other processes see them: in the background, listed, followed, waited for, ended.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "store/time_text.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// A session in the background that prints "ready" and then sleeps. The destructor ends it.
class Background {
 public:
  explicit Background(const Workspace& workspace,
                      const std::string& script = "echo ready; sleep 100", Words words = {},
                      const std::string& issue = "7")
      : workspace_(workspace) {
    words.insert(words.begin(), "-d");
    started = Program(workspace.shell(script, std::move(words), issue)).finish();
  }
  ~Background() { run_orch(workspace_, {"kill", "--all", "--now"}); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  Outcome started;

 private:
  const Workspace& workspace_;
};

Json sessions_of(const Workspace& workspace) {
  const Outcome outcome = run_orch(workspace, {"sessions", "--json"});
  REQUIRE(outcome.code == 0);
  return Json::parse(outcome.out);
}

}  // namespace

TEST_CASE("a session in the background is named, listed, asked and ended") {
  const Workspace workspace;
  const Background background(workspace);
  CHECK(background.started.code == 0);
  CHECK(background.started.out == "orch-7\n");
  CHECK(background.started.err.empty());

  const Json sessions = sessions_of(workspace);
  REQUIRE(sessions.size() == 1);
  CHECK(sessions[0].at("session") == "orch-7");
  CHECK(sessions[0].at("manager") == "native");
  CHECK(sessions[0].at("life") == "running");
  CHECK(sessions[0].at("agent") == "command");
  CHECK(sessions[0].at("status").is_string());
  CHECK(sessions[0].at("ms") >= 0);
  CHECK(sessions[0].at("repository") == fs::canonical(workspace.project()).string());
  const Outcome table = run_orch(workspace, {"sessions"});
  CHECK(lines_of(table.out).size() == 2);
  CHECK(table.out.find("orch-7") != std::string::npos);

  const Outcome status = run_orch(workspace, {"status", "7", "--json"});
  CHECK(status.code == 0);
  CHECK(Json::parse(status.out).at("session") == "orch-7");

  const Outcome killed = run_orch(workspace, {"kill", "7"});
  CHECK(killed.code == 0);
  CHECK(killed.out == "orch-7\n");
  CHECK(sessions_of(workspace).empty());
  CHECK(fs::is_empty(workspace.state() + "/sessions"));
  CHECK(fs::is_empty(workspace.state() + "/sockets"));
  const RunFolder run = workspace.run_of();
  CHECK(run.result.at("reason") == "killed");
  CHECK(run.result.at("code") == 137);
  CHECK(run.record.at("status") == "cancelled");
  const Outcome after = run_orch(workspace, {"status", "7", "--json"});
  CHECK(after.code == 0);
  CHECK(Json::parse(after.out).at("reason") == "killed");
}

TEST_CASE("an issue that runs is not started again") {
  const Workspace workspace;
  const Background background(workspace);
  const Outcome again = Program(workspace.shell("true")).finish();
  CHECK(again.code == 2);
  CHECK(again.err.find("orch-7 is running already (pid ") != std::string::npos);
  CHECK(again.err.find("orch kill 7") != std::string::npos);
  CHECK(lines_of(again.err).size() == 1);
  const Outcome other = Program(workspace.shell("true", {}, "8")).finish();
  CHECK(other.code == 0);
  const Outcome behind = Program(workspace.shell("true", {"-d"})).finish();
  CHECK(behind.code == 2);
  CHECK(behind.out.empty());
}

TEST_CASE("a session that does not start in the background says so in the foreground") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.orch({"run", "7", "-d", "--", "/no/such/program"})).finish();
  CHECK(outcome.code == 127);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("/no/such/program") != std::string::npos);
}

TEST_CASE("what an agent says is shown, followed to its end, and harmless") {
  const Workspace workspace;
  const Gate gate(workspace.file("gate"));
  const Background background(workspace,
                              "printf 'one\\n\\033]0;x\\007two\\n'; read word < ../gate;"
                              " printf '\\033[31mthree\\n'");
  Program follower(workspace.orch({"logs", "-f", "7"}));
  Program reader(workspace.orch({"logs", "-f", "--json", "7"}));
  follower.wait_for_output("two");
  reader.wait_for_output("two");
  gate.let_through();
  const Outcome followed = follower.finish();
  CHECK(followed.code == 0);
  CHECK(reader.finish().out == content_of(workspace.run_of().path + "/events.jsonl"));
  CHECK(followed.out == "one\ntwo\nthree\n");
  CHECK(run_orch(workspace, {"logs", "7"}).out == "one\ntwo\nthree\n");
  CHECK(run_orch(workspace, {"logs", "-n", "1", "7"}).out == "three\n");
  CHECK(run_orch(workspace, {"logs", "-n", "0", "7"}).out.empty());
  const auto records = json_lines(run_orch(workspace, {"logs", "--json", "7"}).out);
  const auto last = json_lines(run_orch(workspace, {"logs", "--json", "-n", "1", "7"}).out);
  CHECK(last == std::vector<Json>{records.front(), records.back()});
  CHECK(last.front().at("event") == "session");
  CHECK(output_of(records) == Words{"one", "two", "three"});
  CHECK(run_orch(workspace, {"logs", "--raw", "7"}).out.find("\x1b]0;x\x07") != std::string::npos);
}

TEST_CASE("a script waits for an agent") {
  const Workspace workspace;
  Launch launch = workspace.demo("plain", {"-d", "-p", "hello", "--until", "exit"});
  REQUIRE(Program(launch).finish().code == 0);
  const Outcome idle = run_orch(workspace, {"wait", "7", "--timeout", "60s"});
  CHECK(idle.code == 0);
  CHECK(idle.out == "orch-7\n");
  CHECK(run_orch(workspace, {"logs", "7"}).out ==
        "❯ hello\n\nanswer 1\n");  // the first prompt is not shown
  CHECK(run_orch(workspace, {"wait", "7", "--until", "waiting", "--timeout", "300ms"}).code == 124);
  Program until_exit(workspace.orch({"wait", "7", "--until", "exited"}));
  CHECK(run_orch(workspace, {"kill", "7"}).code == 0);
  CHECK(until_exit.finish().code == 137);  // the run's exit code
  CHECK(run_orch(workspace, {"wait", "7", "--until", "exited"}).code == 137);
  CHECK(run_orch(workspace, {"wait", "8", "--until", "exited"}).code == 4);
  const Outcome after = run_orch(workspace, {"wait", "7"});
  CHECK(after.code == 137);  // a command that comes late gets the same code
  CHECK(after.out.empty());
}

TEST_CASE("a run that has ended before it is waited for answers with its code") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("default", {"-p", "x"}, "1")).finish().code == 0);
  REQUIRE(Program(workspace.shell("exit 3", {}, "2")).finish().code == 1);
  const Outcome complete = run_orch(workspace, {"wait", "1"});
  CHECK(complete.code == 0);
  CHECK(complete.out == "orch-1\n");
  const Outcome failed = run_orch(workspace, {"wait", "2", "--until", "waiting"});
  CHECK(failed.code == 1);
  CHECK(failed.out.empty());
  CHECK(run_orch(workspace, {"wait", "1", "2"}).code == 1);
  const Outcome any = run_orch(workspace, {"wait", "--any", "2", "1"});
  CHECK(any.code == 0);
  CHECK(any.out == "orch-1\n");
}

TEST_CASE("a run that has not told yet that it runs is not taken for one that has ended") {
  const Workspace workspace;
  const Background background(workspace);
  std::string file;
  for (const auto& entry : fs::directory_iterator(workspace.state() + "/sessions")) {
    if (entry.path().extension() == ".json") file = entry.path();
  }
  REQUIRE(!file.empty());
  fs::rename(file, workspace.file("away"));  // so it is while a run begins
  for (const char* goal : {"working", "exited"}) {
    CAPTURE(goal);
    CHECK(run_orch(workspace, {"wait", "7", "--until", goal, "--timeout", "1s"}).code == 124);
  }
  fs::rename(workspace.file("away"), file);
  CHECK(run_orch(workspace, {"kill", "7"}).code == 0);
  CHECK(run_orch(workspace, {"wait", "7", "--until", "exited"}).code == 137);
}

TEST_CASE("a run that ends while it is waited for ends the wait with its code") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("default", {"-d", "-p", "x"}, "1")).finish().code == 0);
  const Outcome complete = run_orch(workspace, {"wait", "1", "--timeout", "60s"});
  CHECK(complete.code == 0);
  CHECK(complete.out == "orch-1\n");
  REQUIRE(Program(workspace.demo("rate-limit", {"-d", "-p", "x"}, "2")).finish().code == 0);
  const Outcome limited =
      run_orch(workspace, {"wait", "--until", "waiting", "2", "--timeout", "60s"});
  CHECK(limited.code == 75);
  CHECK(limited.out.empty());
}

TEST_CASE("after Escape by hand the run keeps silent until somebody sends a message") {
  const Workspace workspace;
  Launch launch = workspace.demo("long", {"-d", "-p", "x"});
  launch.env.emplace_back("ORCH_DEMO_LINES=1000000");  // so it does not end by itself
  REQUIRE(Program(launch).finish().code == 0);
  Program follower(workspace.orch({"logs", "-f", "7"}));
  follower.wait_for_output("2");
  CHECK(run_orch(workspace, {"keys", "7", "Escape"}).code == 0);
  CHECK(run_orch(workspace, {"wait", "7", "--timeout", "60s"}).code == 0);
  CHECK(workspace.messages().size() == 1);
  CHECK(run_orch(workspace, {"wait", "7", "--until", "waiting", "--timeout", "60s"}).code == 0);
  const Outcome stands = run_orch(workspace, {"status", "7", "--json"});
  CHECK(Json::parse(stands.out).at("status") == "waiting");
  CHECK(run_orch(workspace, {"send", "7", "something else", "--timeout", "60s"}).code == 0);
  CHECK(workspace.messages().back() == "something else");
  CHECK(run_orch(workspace, {"kill", "--now", "7"}).code == 0);
}

TEST_CASE("the first of several sessions ends a wait for any") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("hang", {"-d", "-p", "x"}, "1")).finish().code == 0);
  REQUIRE(Program(workspace.demo("permission", {"-d", "-p", "x"}, "2")).finish().code == 0);
  const Outcome any = run_orch(workspace, {"wait", "--any", "--until", "waiting", "1", "2"});
  CHECK(any.code == 0);
  CHECK(any.out == "orch-2\n");
  CHECK(run_orch(workspace, {"kill", "--all", "--now"}).code == 0);
}

TEST_CASE("commands about a session that is not there end with 4") {
  const Workspace workspace;
  for (const Words& words : {Words{"status", "7"}, Words{"logs", "7"}, Words{"logs", "-f", "7"},
                             Words{"kill", "7"}, Words{"wait", "7"}}) {
    CAPTURE(words);
    const Outcome outcome = run_orch(workspace, words);
    CHECK(outcome.code == 4);
    CHECK(outcome.out.empty());
    CHECK(lines_of(outcome.err).size() == 1);
  }
  CHECK(run_orch(workspace, {"kill"}).code == 2);
  CHECK(run_orch(workspace, {"wait", "7", "--until", "done"}).code == 2);
}

TEST_CASE("a host that was killed leaves a session that is errored, and gc removes it") {
  const Workspace workspace;
  const Background background(workspace);
  const int pid = sessions_of(workspace)[0].at("pid");
  REQUIRE(::kill(pid, SIGKILL) == 0);
  REQUIRE(ends(pid));
  for (const Json& session : sessions_of(workspace)) CHECK(session.at("life") != "running");
  // While its guardian still ends what it had started, gc says so and leaves it.
  const Clock::time_point until = Clock::now() + kPatience;
  do {
    CHECK(run_orch(workspace, {"gc"}).code == 0);
  } while (!sessions_of(workspace).empty() && Clock::now() < until);
  CHECK(sessions_of(workspace).empty());
}

TEST_CASE("a session that failed is listed with its turns and the reason") {
  const Workspace workspace;
  Launch launch = workspace.demo("crash", {"-d", "-p", "do it"});
  REQUIRE(Program(launch).finish().code == 0);
  const Outcome waited = run_orch(workspace, {"wait", "7", "--until", "exited"});
  const Json result = workspace.run_of().result;
  REQUIRE(result.at("turns") > 0);
  REQUIRE(result.at("reason") == "agent_failed");
  const Json listed = sessions_of(workspace);
  INFO(listed.dump() << waited.err);
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("life") == "errored");
  CHECK(listed[0].at("turns") == result.at("turns"));
  CHECK(listed[0].at("ms") == result.at("ms"));
  CHECK(listed[0].at("reason") == "agent_failed");
  CHECK(listed[0].at("detail") == result.at("detail"));
  const Outcome table = run_orch(workspace, {"sessions"});
  CHECK(table.out.find("  ! agent_failed (1): " + result.at("detail").get<std::string>()) !=
        std::string::npos);
}

TEST_CASE("a host that does not answer is said to be unresponsive, and can be killed") {
  const Workspace workspace;
  const Background background(workspace);
  const int pid = sessions_of(workspace)[0].at("pid");
  REQUIRE(::kill(pid, SIGSTOP) == 0);
  const Outcome table = run_orch(workspace, {"sessions"});
  CHECK(table.out.find("unresponsive") != std::string::npos);
  const Outcome refused = run_orch(workspace, {"kill", "7"});
  CHECK(refused.code == 125);
  CHECK(refused.err.find("does not answer") != std::string::npos);
  CHECK(refused.err.find("--now") != std::string::npos);
  CHECK(run_orch(workspace, {"kill", "--now", "7"}).code == 0);
  CHECK(ends(pid));
}

TEST_CASE("a wait goes on over a silence of the host, and hears it again or that it has died") {
  const Workspace workspace;
  Launch launch = workspace.demo("plain", {"-d", "-p", "hello", "--until", "exit"});
  REQUIRE(Program(launch).finish().code == 0);
  REQUIRE(run_orch(workspace, {"wait", "7", "--timeout", "60s"}).code == 0);
  const Background other(workspace, "echo ready; sleep 100", {}, "8");
  const int pid = run_orch(workspace, {"status", "--json", "7"}).code == 0
                      ? sessions_of(workspace)[0].at("pid").get<int>()
                      : 0;
  const int doomed = sessions_of(workspace)[1].at("pid");
  Program follows(workspace.orch({"logs", "-f", "8"}));
  follows.wait_for_output("ready");
  for (const int host : {pid, doomed}) REQUIRE(::kill(host, SIGSTOP) == 0);
  Program idle(workspace.orch({"wait", "7"})),
      ended(workspace.orch({"wait", "7", "--until", "exited"}));
  Program lost(workspace.orch({"wait", "8"}));
  for (Program* wait : {&idle, &ended, &lost}) wait->wait_for_error("may be stopped");
  REQUIRE(::kill(doomed, SIGKILL) == 0);
  const Outcome gone = lost.finish();
  CHECK(gone.code == 125);
  INFO(gone.err);
  CHECK(gone.err.find("is lost: its host has died") != std::string::npos);
  const Outcome followed = follows.finish();
  CHECK(followed.code == 125);
  CHECK(followed.err.find("is lost: its host has died") != std::string::npos);
  REQUIRE(::kill(pid, SIGCONT) == 0);
  CHECK(idle.finish().code == 0);
  CHECK(run_orch(workspace, {"kill", "7"}).code == 0);
  CHECK(ended.finish().code == 137);
}

TEST_CASE("keys reach the agent one by one, and a wrong one none") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("hang", {"-d", "-p", "x", "--until", "exit"})).finish().code == 0);
  const auto is_working = [&workspace] {
    const Outcome status = run_orch(workspace, {"status", "7", "--json"});
    return Json::parse(status.out).at("status") == "working";
  };
  while (!is_working()) CHECK(run_orch(workspace, {"status", "7"}).code == 0);
  const Outcome wrong = run_orch(workspace, {"keys", "7", "Escape", "F99"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("\"F99\" is not a key") != std::string::npos);
  CHECK(is_working());
  CHECK(run_orch(workspace, {"keys", "7", "Escape"}).code == 0);
  CHECK(run_orch(workspace, {"wait", "7", "--until", "idle", "--timeout", "60s"}).code == 0);
  CHECK(run_orch(workspace, {"kill", "7"}).code == 0);
  CHECK(run_orch(workspace, {"keys", "7", "Escape"}).code == 4);
}

TEST_CASE("what is typed unseen is not recorded") {
  const Workspace workspace;
  const Background background(
      workspace, "stty -echo; echo ready; read word; stty echo; echo got $word; sleep 100");
  Program follower(workspace.orch({"logs", "-f", "7"}));
  follower.wait_for_output("ready");
  CHECK(run_orch(workspace, {"keys", "7", "p", "w", "Enter"}).code == 0);
  follower.wait_for_output("got pw");
  CHECK(run_orch(workspace, {"kill", "--now", "7"}).code == 0);
  const std::string cast = content_of(workspace.run_of().recording());
  CHECK(cast.find("\"i\", \"*\"") != std::string::npos);
  CHECK(cast.find("\"i\", \"p\"") == std::string::npos);
}

TEST_CASE("a queue runs so many at a time, and sums up") {
  const Workspace workspace;
  const std::string log = workspace.file("log");
  const Outcome outcome =
      Program(workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--output", "quiet", "--", "sh",
                              "-c", "echo in >> " + log + "; sleep 0.1; echo out >> " + log}))
          .finish();
  CHECK(outcome.code == 0);
  CHECK(content_of(log) == "in\nout\nin\nout\nin\nout\n");
  CHECK(outcome.err.find("ISSUE") != std::string::npos);
  std::string summary;
  for (const auto& entry : fs::recursive_directory_iterator(workspace.state() + "/summaries")) {
    if (entry.path().filename() == "summary.json") summary = content_of(entry.path());
  }
  const Json json = Json::parse(summary);
  CHECK(json.at("code") == 0);
  REQUIRE(json.at("issues").size() == 3);
  CHECK(json.at("issues")[2].at("reason") == "exit");
}

TEST_CASE("a limit that one run has met is waited for by others of its account, and told") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("rate-limit", {"-p", "x"}, "1")).finish().code == 75);
  const Outcome listed = Program(workspace.orch({"sessions"})).finish();
  CHECK(listed.err.find("orch: demo is at its limit until ") == 0);
  const Words waits{"-p", "first words", "--on-limit", "wait"};
  Words briefly = waits;
  briefly.insert(briefly.end(), {"--timeout", "3s"});
  const Outcome held = Program(workspace.demo("default", briefly, "2")).finish();
  INFO(held.err);
  CHECK(held.code == 124);
  CHECK(held.err.find("demo is at its limit until ") != std::string::npos);
  CHECK(held.err.find(": it is waited for; to start now, remove ") != std::string::npos);
  CHECK(workspace.messages().size() == 1);  // that of the first run

  std::string file;
  for (const auto& entry : fs::directory_iterator(workspace.state() + "/limits"))
    file = entry.path();
  Json limit = Json::parse(content_of(file));
  const auto soon = std::chrono::system_clock::now() + std::chrono::seconds(3);
  limit["until"] = orch::store::rfc3339_utc(soon);
  std::ofstream(file) << limit.dump();
  const Outcome done = Program(workspace.demo("default", waits, "3")).finish();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(std::chrono::system_clock::now() > soon);
  CHECK(workspace.messages().size() == 2);
  CHECK_FALSE(fs::exists(file));  // removed, because a turn succeeded

  REQUIRE(Program(workspace.demo("rate-limit", {"-p", "y"}, "4")).finish().code == 75);
  const Outcome asked = Program(workspace.demo("default", {"-p", "z"}, "5")).finish();
  CHECK(asked.code == 0);  // --on-limit exit does not wait for a known limit
  CHECK(asked.err.find("demo is at its limit until ") != std::string::npos);
}

TEST_CASE("a queue starts nothing more once one was asked to retry later") {
  const Workspace workspace;
  Launch launch = workspace.orch(
      {"run", "1", "2", "3", "--jobs", "1", "--agent", "demo", "-p", "x", "--output", "quiet"});
  launch.env.emplace_back("ORCH_DEMO_SCENARIO=rate-limit");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 75);
  CHECK(outcome.err.find("orch-1: retry_later (exit 75)") != std::string::npos);
  CHECK(outcome.err.find("orch-2: not started: issue 1 was asked to retry later\n") !=
        std::string::npos);
  CHECK(workspace.messages().size() == 1);
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 1);
}

TEST_CASE("a queue that is interrupted starts nothing more") {
  const Workspace workspace;
  Program program(
      workspace.orch({"run", "1", "2", "--jobs", "1", "--", "sh", "-c", "echo ready; sleep 100"}));
  program.wait_for_output("ready");
  program.signal(SIGTERM);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 143);
  CHECK(outcome.err.find("orch: orch-2: not started: interrupted\n") != std::string::npos);
}

TEST_CASE("issues that there are no descriptors for wait until others have ended") {
  const Workspace workspace;
  Words words{"run"};
  for (int issue = 1; issue <= 24; ++issue) words.push_back(std::to_string(issue));
  for (const char* word : {"--output", "quiet", "--no-record", "--", "sh", "-c", "sleep 1"}) {
    words.emplace_back(word);
  }
  Launch launch = workspace.orch(words);
  const Words limited{"/bin/sh", "-c", "ulimit -n 100; exec \"$@\"", "sh"};
  launch.argv.insert(launch.argv.begin(), limited.begin(), limited.end());
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const size_t said = outcome.err.find("waits until another one has ended");
  CHECK(said != std::string::npos);
  CHECK(outcome.err.find("waits until another one has ended", said + 1) == std::string::npos);
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 24);
}

TEST_CASE("peers that hold connections take no descriptors from the sessions that wait") {
  const Workspace workspace;
  const Gate gate(workspace.file("gate"));
  const std::string script = "echo ready; read word < " + workspace.file("gate");
  Launch launch = workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--", "sh", "-c", script});
  const Words limited{"/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"};
  launch.argv.insert(launch.argv.begin(), limited.begin(), limited.end());
  Program batch(launch);
  batch.wait_for_output("ready");
  std::vector<orch::base::Fd> peers;
  for (const auto& entry : fs::directory_iterator(workspace.state() + "/sessions")) {
    if (entry.path().extension() != ".json") continue;
    const Json session = Json::parse(content_of(entry.path()), nullptr, false);
    const bool runs = session.is_object() && session.value("socket", Json()).is_string();
    const std::string socket = runs ? session.at("socket") : "";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket.empty() || socket.size() >= sizeof address.sun_path) continue;
    socket.copy(address.sun_path, socket.size());
    while (peers.size() < 130) {
      orch::base::Fd peer(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        break;
      }
      peers.push_back(std::move(peer));
    }
  }
  REQUIRE(peers.size() == 130);
  // The user's own commands are served, while nobody else is asked to go.
  CHECK(run_orch(workspace, {"status", "1"}).code == 0);
  for (int issue = 1; issue <= 3; ++issue) gate.let_through();
  const Outcome outcome = batch.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 3);
}

TEST_CASE("a command is run when a session waits and when it ends") {
  const Workspace workspace;
  const std::string log = workspace.write("log", "");
  const Outcome outcome =
      Program(workspace.demo("permission", {"-p", "x", "--notify", "cat >> " + log})).finish();
  CHECK(outcome.code == 10);
  // The run does not wait for the command.
  const Clock::time_point until = Clock::now() + kPatience;
  while (json_lines(content_of(log)).size() < 2 && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::vector<Json> records = json_lines(content_of(log));
  REQUIRE(records.size() == 2);
  CHECK(records[0].at("status") == "waiting");
  CHECK(records[0].at("cause") == "permission");
  for (const Json& record : records) CHECK(record.at("session") == "orch-7");
  CHECK(records[1].at("event") == "exit");
  CHECK(records[1].at("reason") == "needs_human");
}

TEST_CASE("a run leaves no words behind when it is told to") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.shell("echo secret", {"--no-record"})).finish();
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "secret\n");
  for (const auto& entry : fs::recursive_directory_iterator(workspace.state())) {
    if (!entry.is_regular_file()) continue;
    INFO(entry.path());
    const std::string content = content_of(entry.path());
    if (entry.path().filename() != "run.json") CHECK(content.find("secret") == std::string::npos);
    CHECK(entry.path().filename() != "output.cast");
  }
}

TEST_CASE("a recording ends at its limit, the run does not") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.shell("seq 1 5000", {"--record-limit", "8K"})).finish();
  CHECK(outcome.code == 0);
  CHECK(lines_of(outcome.out).size() == 5000);
  CHECK(fs::file_size(workspace.run_of().recording()) <= 8192);
}

TEST_CASE("old runs are removed, those of living sessions are kept") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("true", {"--keep", "1ms"}, "1")).finish().code == 0);
  REQUIRE(Program(workspace.shell("true", {}, "2")).finish().code == 0);
  const Background background(workspace, "sleep 100", {"--keep", "1ms"}, "3");
  const Outcome dry = run_orch(workspace, {"gc", "--dry-run"});
  CHECK(dry.out.find("-1-") != std::string::npos);
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 3);
  CHECK(run_orch(workspace, {"gc"}).code == 0);
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 2);
  CHECK(run_orch(workspace, {"gc", "--older-than", "1ms"}).code == 0);
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 1);
  CHECK(sessions_of(workspace).size() == 1);
}

TEST_CASE("a status line is not drawn where there is no terminal") {
  const Workspace workspace;
  CHECK(Program(workspace.shell("echo x")).finish().err.find('\x1b') == std::string::npos);
}

TEST_CASE("issues that wait for a slot are listed as queued, and orch kill takes them out") {
  const Workspace workspace;
  const Outcome begun = Program(workspace.orch({"run", "1", "2", "3", "4", "--jobs", "1", "-d",
                                                "--", "sh", "-c", "exec sleep 1000"}))
                            .finish();
  CHECK(begun.out == "orch-1\norch-2\norch-3\norch-4\n");  // all names are known by now
  Program turn(workspace.orch({"wait", "2", "--until", "exited"}));
  Program never(workspace.orch({"wait", "3", "--until", "exited"}));
  const auto statuses = [&] {
    std::map<std::string, std::string> all;
    const Outcome listed = Program(workspace.orch({"sessions", "--json"})).finish();
    for (const Json& session : Json::parse(listed.out)) {
      all[session.at("issue")] = session.at("life");
      CHECK(session.at("pid") > 0);
    }
    return all;
  };
  const Clock::time_point until = Clock::now() + kPatience;
  while (statuses().size() < 4 && Clock::now() < until) {
  }
  CHECK(statuses() == std::map<std::string, std::string>{
                          {"1", "running"}, {"2", "queued"}, {"3", "queued"}, {"4", "queued"}});
  CHECK(Json::parse(Program(workspace.orch({"status", "2", "--json"})).finish().out).at("life") ==
        "queued");
  const Outcome again = Program(workspace.orch({"run", "3", "--", "true"})).finish();
  CHECK(again.code == 2);
  CHECK(again.err.find("orch-3 waits in the queue of pid ") != std::string::npos);

  for (const Words& words : {Words{"logs", "3"}, Words{"show", "3"}, Words{"send", "3", "hi"}}) {
    CAPTURE(words);
    const Outcome early = run_orch(workspace, words);
    CHECK(early.code == 4);
    CHECK(early.err == "orch: orch-3 is queued: it begins when a slot of its host is free\n");
  }
  CHECK(Program(workspace.orch({"kill", "3"})).finish().out == "orch-3\n");
  CHECK(never.finish().code == 4);
  CHECK(Program(workspace.orch({"kill", "1"})).finish().code == 0);  // makes room for 2
  while (statuses()["2"] != "running" && Clock::now() < until) {
  }
  CHECK(Program(workspace.orch({"kill", "--all"})).finish().out == "orch-4\norch-2\n");
  CHECK(turn.finish().code == 137);
  CHECK(statuses().empty());
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 2);
}

TEST_CASE(
    "kill --all ends a whole batch at once, also in the foreground, and names what never ran") {
  const Workspace workspace;
  Program batch(workspace.orch(
      {"run", "a", "b", "c", "d", "--jobs", "2", "--", "sh", "-c", "exec sleep 1000"}));
  const auto status_of = [&](const std::string& issue) {
    const Outcome status = run_orch(workspace, {"status", issue, "--json"});
    return status.code == 0 ? Json::parse(status.out).at("life").get<std::string>() : "";
  };
  const Clock::time_point until = Clock::now() + kPatience;
  const auto is_under_way = [&] {
    return status_of("b") != "queued" && !status_of("b").empty() && status_of("c") == "queued" &&
           status_of("d") == "queued";
  };
  while (!is_under_way() && Clock::now() < until) {
  }
  CHECK(run_orch(workspace, {"kill", "--all"}).out == "orch-c\norch-d\norch-a\norch-b\n");
  const Outcome outcome = batch.finish();
  CHECK(outcome.code == 137);
  for (const char* line : {"orch: orch-a: killed (exit 137)\n", "orch: orch-b: killed (exit 137)\n",
                           "orch: orch-c: not started: orch kill took it out of the queue\n",
                           "orch: orch-d: not started: orch kill took it out of the queue\n"}) {
    CHECK(outcome.err.find(line) != std::string::npos);
  }
  CHECK(std::distance(fs::directory_iterator(workspace.state() + "/runs"), {}) == 2);
}

TEST_CASE("so many sessions run at once as the limit of open files has room for, to their ends") {
  constexpr size_t kFiles = 130, kOfOneSession = 18;
  const Workspace workspace;
  Launch launch = workspace.orch({"run", "1", "2", "3", "4", "5", "6", "7", "8", "--jobs", "8",
                                  "--output", "quiet", "--until", "exit", "--", "sh", "-c",
                                  "until [ -e go ]; do sleep 0.05; done"});
  launch.argv.insert(
      launch.argv.begin(),
      {"/bin/sh", "-c", "ulimit -n " + std::to_string(kFiles) + "; exec \"$@\"", "sh"});
  Program batch(launch);
  batch.wait_for_error("waits until another one has ended: descriptors for one more session");
  size_t at_once = 0;
  for (const Json& session :
       Json::parse(Program(workspace.orch({"sessions", "--json"})).finish().out)) {
    if (session.at("life") != "queued") ++at_once;
  }
  CHECK(at_once >= 2);
  CHECK(at_once * kOfOneSession <= kFiles);
  workspace.write("project/go", "");
  const Outcome outcome = batch.finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
}

TEST_CASE("who waits for what is queued believes a run whose file still says that it waits") {
  const Workspace workspace;
  Program batch(
      workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--output", "quiet", "--", "sh", "-c",
                      "case $ORCH_RUN in *-2-*) exit 3 ;; *-3-*) exec sleep 99 ;; "
                      "*) exec sleep 1 ;; esac"}));
  const auto file_of = [&](const std::string& issue) {
    for (const auto& entry : fs::directory_iterator(workspace.state() + "/sessions")) {
      const std::string name = entry.path().filename();
      if (name.starts_with("orch-" + issue + "@") && name.ends_with(".json"))
        return entry.path().string();
    }
    return std::string();
  };
  const Clock::time_point until = Clock::now() + kPatience;
  const auto has_come = [&](const auto& what) {
    while (!what() && Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return what();
  };
  REQUIRE(has_come([&] { return fs::exists(workspace.state() + "/sessions"); }));
  REQUIRE(has_come([&] { return !file_of("2").empty(); }));
  const std::string path = file_of("2");
  const std::string queued = content_of(path);
  REQUIRE(Json::parse(queued).at("status") == "queued");
  REQUIRE(has_come([&] { return !fs::exists(path) && file_of("2").empty(); }));

  std::ofstream(path) << queued;  // so it is while its run begins
  Program wait(workspace.orch({"wait", "2", "--until", "exited", "--timeout", "20s"}));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  fs::remove(path);
  const Outcome waited = wait.finish();
  CHECK(waited.err == "");
  CHECK(waited.code == 1);  // the code of its run
  batch.signal(SIGTERM);
  batch.finish();
}

TEST_CASE("what waited for a host that was killed is nowhere, and can be started") {
  const Workspace workspace;
  Program program(
      workspace.orch({"run", "1", "2", "--jobs", "1", "--", "sh", "-c", "exec sleep 99"}));
  const auto is_queued = [&] {
    return Program(workspace.orch({"status", "2"})).finish().out.find("queued") !=
           std::string::npos;
  };
  const Clock::time_point until = Clock::now() + kPatience;
  while (!is_queued() && Clock::now() < until) {
  }
  program.signal(SIGKILL);
  program.finish();
  CHECK(Program(workspace.orch({"status", "2"})).finish().code == 4);
  // The guardian removes what the host left.
  while (!std::filesystem::is_empty(workspace.state() + "/sessions") && Clock::now() < until) {
  }
  CHECK(std::filesystem::is_empty(workspace.state() + "/sessions"));
  CHECK(Program(workspace.orch({"run", "2", "--", "true"})).finish().code == 0);
}

namespace {

// Waits until the session has this status; fails if its run ends before.
void await_status(const Workspace& workspace, const std::string& issue, const std::string& status) {
  INFO("issue " << issue << " is awaited as " << status);
  const Clock::time_point until = Clock::now() + kPatience;
  while (run_orch(workspace, {"status", issue}).code == 4 && Clock::now() < until) {
  }
  const Outcome outcome =
      run_orch(workspace, {"wait", issue, "--until", status, "--timeout", "120s"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  REQUIRE(Json::parse(run_orch(workspace, {"status", issue, "--json"}).out).at("status") == status);
}

// A batch of demo agents, each of which plays the scenario of its issue: "1=permission 2=hang".
// `words` begin with the issues.
Launch batch_of(const Workspace& workspace, const std::string& scenarios, Words words) {
  const std::string program = workspace.write(
      "player", "#!/bin/sh\nfor one in " + scenarios +
                    "; do case $ORCH_RUN in *-${one%%=*}-*) export ORCH_DEMO_SCENARIO=${one#*=} ;;"
                    " esac; done\nexec " ORCH_PROGRAM " \"$@\"\n");
  fs::permissions(program, fs::perms::owner_all);
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--agent", "demo", "--agent-program", program, "-p", "do it"});
  Launch launch = workspace.orch(std::move(words));
  return launch;
}

}  // namespace

TEST_CASE("a session that waits for a person gives its slot to another one, and says so") {
  const Workspace workspace;
  const Outcome begun =
      Program(batch_of(workspace, "1=permission 2=permission 3=permission 4=permission",
                       {"1", "2", "3", "4", "--jobs", "2", "-d"}))
          .finish();
  REQUIRE(begun.code == 0);
  for (const char* issue : {"1", "2", "3", "4"}) await_status(workspace, issue, "waiting");
  const Json first = Json::parse(run_orch(workspace, {"status", "1", "--json"}).out);
  const std::string said = content_of(first.at("run_dir").get<std::string>() + "/host.log");
  CHECK(said.find("orch: orch-1 waits for you: orch attach 1, or orch answer 1; another issue has "
                  "its slot until then\n") != std::string::npos);
  Program all(workspace.orch({"wait", "1", "2", "3", "4", "--until", "exited"}));
  for (const char* issue : {"1", "2", "3", "4"}) {
    CHECK(run_orch(workspace, {"answer", issue, "yes"}).code == 0);
  }
  CHECK(all.finish().code == 0);
}

TEST_CASE("a session that was answered has a slot again") {
  const Workspace workspace;
  REQUIRE(Program(batch_of(workspace, "1=permission 2=hang 3=default",
                           {"1", "2", "3", "--jobs", "1", "-d"}))
              .finish()
              .code == 0);
  await_status(workspace, "1", "waiting");
  await_status(workspace, "2", "working");  // in the slot that 1 has given up
  CHECK(run_orch(workspace, {"answer", "1", "yes"}).code == 0);
  CHECK(run_orch(workspace, {"wait", "1", "--until", "exited"}).code == 0);
  await_status(workspace, "2", "working");
  CHECK(Json::parse(run_orch(workspace, {"status", "3", "--json"}).out).at("life") == "queued");
  CHECK(run_orch(workspace, {"kill", "2", "--now"}).code == 0);
  CHECK(run_orch(workspace, {"wait", "3", "--until", "exited"}).code == 0);
}

TEST_CASE("so many sessions wait without a slot, and then one that keeps its own") {
  const Workspace workspace;
  Words words;
  std::string scenarios;
  for (int issue = 11; issue <= 21; ++issue) {
    words.push_back(std::to_string(issue));
    scenarios += std::to_string(issue) + "=permission ";
  }
  words.insert(words.end(), {"--jobs", "1", "--ask-timeout", "never", "--output", "quiet"});
  Program batch(batch_of(workspace, scenarios, words));
  for (int issue = 11; issue <= 19; ++issue) {
    await_status(workspace, std::to_string(issue), "waiting");
  }
  batch.wait_for_error("it keeps its slot, for so many wait already that no further issue");
  const auto status_of_20 = [&] {
    return Json::parse(run_orch(workspace, {"status", "20", "--json"}).out).at("life");
  };
  CHECK(status_of_20() == "queued");
  CHECK(run_orch(workspace, {"answer", "11", "yes"}).code == 0);
  await_status(workspace, "20", "waiting");
  batch.signal(SIGTERM);
  CHECK(batch.finish().code == 143);
}

TEST_CASE("of several issues on a terminal none ends for want of an answer") {
  const Workspace workspace;
  Launch launch = batch_of(workspace, "1=permission 2=permission 3=permission 4=permission",
                           {"1", "2", "3", "4", "--jobs", "2", "--color", "never"});
  launch.terminal = TerminalSize{100, 30};
  launch.errors_on_terminal = true;
  Program batch(launch);
  for (const char* issue : {"1", "2", "3", "4"}) await_status(workspace, issue, "waiting");
  batch.wait_for_output("orch-4 waits for you: orch attach 4, or orch answer 4");
  for (const char* issue : {"1", "2", "3", "4"}) {
    CHECK(run_orch(workspace, {"answer", issue, "yes"}).code == 0);
  }
  CHECK(batch.finish().code == 0);
}

TEST_CASE("where nobody is asked a dialog ends its run, and holds its slot until then") {
  const Workspace workspace;
  const Outcome outcome = Program(batch_of(workspace, "1=permission 2=default",
                                           {"1", "2", "--jobs", "1", "--output", "quiet"}))
                              .finish();
  CHECK(outcome.code == 10);
  CHECK(outcome.err.find("waits for you") == std::string::npos);
  const std::string ended = workspace.run_of("1").result.at("ended");
  CHECK(workspace.run_of("2").result.at("started").get<std::string>() >= ended);
}
