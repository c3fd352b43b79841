// orch mcp with a client on pipes outside of a run, and with an agent inside of one.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "skipped.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

std::string request_line(int id, const std::string& method, const Json& params) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump() + "\n";
}
std::string call_line(int id, const std::string& tool, const Json& arguments) {
  return request_line(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

// The text of a tool's result, and whether it was an error.
struct Said {
  std::string text;
  bool is_error = false;
};
Said said_by(const Json& answer) {
  INFO(answer.dump());
  const Json& result = answer.at("result");
  return {result.at("content").at(0).at("text"), result.at("isError")};
}

// The answer with this id among the lines; null if there is none.
Json answer_among(const std::string& lines, int id) {
  for (const std::string& line : lines_of(lines.substr(0, lines.rfind('\n') + 1))) {
    const Json answer = Json::parse(line);
    CHECK(answer.at("jsonrpc") == "2.0");
    if (answer.at("id") == id) return answer;
  }
  return nullptr;
}

// A process orch mcp, and its client.
class Client {
 public:
  explicit Client(const Workspace& workspace, const std::string& scenario = "echo",
                  Words words = {"mcp"})
      : program_(launch(workspace, scenario, std::move(words))) {}

  Json ask(const std::string& method, const Json& params = Json::object()) {
    const int id = next_id_++;
    program_.give(request_line(id, method, params));
    return answer_to(id);
  }
  Said call(const std::string& tool, const Json& arguments = Json::object()) {
    return said_by(ask("tools/call", {{"name", tool}, {"arguments", arguments}}));
  }
  // Sends a call and returns its id without waiting for the answer.
  int begin(const std::string& tool, const Json& arguments) {
    program_.give(call_line(next_id_, tool, arguments));
    return next_id_++;
  }
  void give(const std::string& bytes) { program_.give(bytes); }
  Json answer_to(int id) {
    for (Json answer;; program_.wait_for_more_output()) {
      answer = answer_among(program_.output(), id);
      if (!answer.is_null()) return answer;
    }
  }
  bool has_answered(int id) { return !answer_among(program_.output(), id).is_null(); }
  const std::string& output() const { return program_.output(); }
  void wait_for(const std::string& text) { program_.wait_for_output(text); }

  // The pid of the only command that runs.
  pid_t command() const {
    const std::string pid = std::to_string(program_.pid());
    for (const auto until = Clock::now() + kPatience; Clock::now() < until;) {
      std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
      pid_t child = 0;
      if (children >> child) return child;
    }
    FAIL("no command was started");
    return 0;
  }
  // The most memory that it ever had, in KB.
  long peak_kb() const {
    std::ifstream status("/proc/" + std::to_string(program_.pid()) + "/status");
    std::string word;
    while (status >> word && word != "VmHWM:") continue;
    long kb = 0;
    status >> kb;
    CHECK(kb > 0);
    return kb;
  }
  Outcome end() {
    program_.end_input();
    return program_.finish();
  }
  Outcome end_by(int signum) {
    program_.signal(signum);
    return program_.finish();
  }

 private:
  static Launch launch(const Workspace& workspace, const std::string& scenario, Words words) {
    Launch launch = workspace.orch(std::move(words));
    launch.env.push_back("ORCH_DEMO_SCENARIO=" + scenario);
    launch.is_given_input = true;
    return launch;
  }

  Program program_;
  int next_id_ = 1;
};

// A session that a person started. The destructor ends it.
class Waiting {
 public:
  explicit Waiting(const Workspace& workspace) : workspace_(workspace) {
    REQUIRE(Program(workspace.demo("echo", {"-d", "--until", "exit"})).finish().code == 0);
  }
  ~Waiting() { Program(workspace_.orch({"kill", "--all", "--now"})).finish(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  const Workspace& workspace_;
};

std::set<std::string> names_in(const Json& answer) {
  std::set<std::string> names;
  for (const Json& tool : answer.at("result").at("tools")) names.insert(tool.at("name"));
  return names;
}

const std::set<std::string> kForAgents{"whoami", "status",     "sessions", "logs",
                                       "wait",   "crew_inbox", "crew_send"};

// Runs an agent that sends these lines to orch mcp, which the shell words `mcp` start, and ends
// when that many are answered; returns what orch mcp wrote. All files are in the work directory,
// which a fenced agent can read and write.
std::string said_to_agent(const Workspace& workspace, const std::string& lines, int answers,
                          const std::string& mcp, Words more = {}) {
  workspace.write("project/requests", lines);
  const std::string script = "ORCH=" ORCH_PROGRAM
                             "\nuntil $ORCH status 7 2>/dev/null | grep -q pid; do :; done\n"
                             ": >said\n{ cat requests; until [ $(wc -l <said) -ge " +
                             std::to_string(answers) + " ]; do sleep 0.1; done; } | " + mcp +
                             " >said\n";
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "scripted";
  manifest["program"] = {"sh", workspace.write("project/script", script)};
  workspace.write("home/.config/orch/adapters/scripted.json", manifest.dump());
  Words words{"run", "7", "--agent", "scripted", "--until", "exit", "--output", "quiet"};
  words.insert(words.end(), {"--timeout", "60s"});
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = Program(workspace.orch(words)).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  return content_of(workspace.file("project/said"));
}

}  // namespace

TEST_CASE("a client agrees on a version, and is offered all tools outside of a run") {
  const Workspace workspace;
  Client client(workspace);
  const Json hello =
      client.ask("initialize", {{"protocolVersion", "2025-06-18"},
                                {"capabilities", Json::object()},
                                {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
  CHECK(hello.at("result").at("protocolVersion") == "2025-06-18");
  CHECK(hello.at("result").at("serverInfo").at("name") == "orch");
  client.give("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  std::set<std::string> all = kForAgents;
  all.insert({"run", "send", "answer", "kill", "shot"});
  CHECK(names_in(client.ask("tools/list")) == all);
  const Said whoami = client.call("whoami");
  CHECK(whoami.is_error);
  CHECK(whoami.text == "you are not an agent of a run of orch");
  const Outcome outcome = client.end();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(lines_of(outcome.out).size() == 3);
  CHECK_FALSE(fs::exists(workspace.state()));  // no call has made orch store anything
}

TEST_CASE("a run is started, watched, answered and read through tools") {
  const Workspace workspace;
  Client client(workspace, "permission");
  const Said started =
      client.call("run", {{"issue", "7"}, {"prompt", "--help\nme"}, {"agent", "demo"}});
  INFO(started.text);
  REQUIRE_FALSE(started.is_error);
  CHECK(Json::parse(started.text).at("session") == "orch-7");
  const Said waited = client.call("wait", {{"issues", {"7"}}, {"until", "waiting"}});
  INFO(waited.text);
  REQUIRE(Json::parse(waited.text).at(0).at("status") == "waiting");
  Said status;
  do {  // the dialog is reported once it has been read
    status = client.call("status", {{"issue", "7"}});
    REQUIRE_FALSE(status.is_error);
  } while (!Json::parse(status.text).contains("dialog") ||
           Json::parse(status.text).at("dialog").is_null());
  CHECK(Json::parse(status.text).at("dialog").at("text") == "Do you want to proceed?");
  CHECK(Json::parse(client.call("sessions").text).at(0).at("status") == "waiting");
  CHECK(holds(client.call("shot", {{"issue", "7"}}).text, "Do you want to proceed?"));
  const Said answered =
      client.call("answer", {{"issue", "7"}, {"answer", "yes"}, {"dialog", "d1"}});
  INFO(answered.text);
  CHECK_FALSE(answered.is_error);
  CHECK(Json::parse(client.call("wait", {{"issues", {"7"}}, {"until", "exited"}}).text)
            .at(0)
            .at("reason") == "complete");
  const Words logged = lines_of(client.call("logs", {{"issue", "7"}}).text);
  CHECK(std::count(logged.begin(), logged.end(), "LOOP_COMPLETE") == 0);
  CHECK(Json::parse(client.call("status", {{"issue", "7"}}).text).at("reason") == "complete");
  CHECK(workspace.messages().at(0).starts_with("--help\nme\n"));
  CHECK(client.end().code == 0);
}

TEST_CASE("what is sent arrives as it was, and what is killed is gone") {
  const Workspace workspace;
  const Waiting waiting(workspace);
  Client client(workspace);
  const std::string message = "--wait idle\n\t日本語 \"quoted\" $(id)";
  const Said sent =
      client.call("send", {{"issue", "7"}, {"text", message}, {"wait_until", "idle"}});
  INFO(sent.text);
  CHECK_FALSE(sent.is_error);
  CHECK(Json::parse(sent.text).at("result") == "accepted");
  CHECK(workspace.messages() == std::vector{message});
  const Said refused = client.call("send", {{"issue", "7"}, {"text", "/quit"}});
  CHECK(refused.is_error);
  CHECK(holds(refused.text, "would_be_command"));
  CHECK(holds(refused.text, "exit code 2"));
  const Said late = client.call("wait", {{"issues", {"7"}}, {"until", "error"}, {"timeout_s", 1}});
  CHECK(late.is_error);
  CHECK(holds(late.text, "exit code 124: not so yet"));
  const Said killed = client.call("kill", {{"issue", "7"}});
  INFO(killed.text);
  CHECK(Json::parse(killed.text).at(0).at("reason") == "killed");
  CHECK(client.call("sessions").text == "[]\n");
  const Said gone = client.call("kill", {{"issue", "7"}});
  CHECK(gone.is_error);
  CHECK(holds(gone.text, "orch: no session for 7"));
  CHECK(holds(gone.text, "exit code 4"));
}

TEST_CASE("the state directory of the command line is that of every tool") {
  const Workspace workspace;
  const Waiting waiting(workspace);
  Client client(workspace, "echo", {"mcp", "--state-dir", workspace.file("elsewhere")});
  CHECK(client.call("sessions").text == "[]\n");
}

TEST_CASE("calls run beside each other, and one that is taken back ends without an answer") {
  const Workspace workspace;
  const Waiting waiting(workspace);
  Client client(workspace);
  const Json until_end{{"issues", {"7"}}, {"until", "exited"}, {"timeout_s", 3600}};
  const int id = client.begin("wait", until_end);
  const pid_t command = client.command();
  // While the first call still waits.
  CHECK_FALSE(client.call("status", {{"issue", "7"}}).is_error);
  client.give(Json{{"jsonrpc", "2.0"},
                   {"method", "notifications/cancelled"},
                   {"params", {{"requestId", id}}}}
                  .dump() +
              "\n");
  CHECK(ends(command));
  CHECK_FALSE(client.call("status", {{"issue", "7"}}).is_error);
  const Outcome outcome = client.end();
  CHECK(outcome.code == 0);
  CHECK(answer_among(outcome.out, id).is_null());
  CHECK(lines_of(outcome.out).size() == 2);
}

TEST_CASE("sixteen calls are under way at most, and all of them end with the input") {
  const Workspace workspace;
  const Waiting waiting(workspace);
  Client client(workspace);
  const Json until_end{{"issues", {"7"}}, {"until", "exited"}, {"timeout_s", 3600}};
  for (int i = 0; i < 16; ++i) client.begin("wait", until_end);
  const Said refused = client.call("sessions");
  CHECK(refused.is_error);
  CHECK(holds(refused.text, "16 calls are under way"));
  const pid_t command = client.command();
  const Outcome outcome = client.end();
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(lines_of(outcome.out).size() == 1);
  CHECK(ends(command));
}

TEST_CASE("a signal ends it and its commands, and not the sessions that were started by it") {
  for (const int signum : {SIGTERM, SIGKILL}) {
    INFO(signum);
    const Workspace workspace;
    Client client(workspace);
    const Said started = client.call("run", {{"issue", "7"}, {"prompt", "x"}, {"agent", "demo"}});
    REQUIRE(Json::parse(started.text).at("session") == "orch-7");
    client.begin("wait", {{"issues", {"7"}}, {"until", "exited"}, {"timeout_s", 3600}});
    const pid_t command = client.command();
    CHECK(client.end_by(signum).code == 128 + signum);
    CHECK(ends(command));
    const Outcome sessions = Program(workspace.orch({"sessions"})).finish();
    CHECK(holds(sessions.out, "orch-7"));
    CHECK(Program(workspace.orch({"kill", "7", "--now"})).finish().code == 0);
  }
}

TEST_CASE("garbage is answered as the protocol says, and everything goes on") {
  const Workspace workspace;
  Client client(workspace);
  client.give(
      "garbage\n\n   \n\xff\xfe{}\n[]\n{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"x\"}\n");
  CHECK(client.answer_to(900).at("error").at("code") == -32601);
  CHECK(client.ask("tools/call", {{"name", "keys"}}).at("error").at("code") == -32602);
  CHECK(client.ask("tools/call", Json::array()).at("error").at("code") == -32602);
  CHECK(client.call("status").text == "status: issue is missing");
  CHECK(client.call("kill", {{"issue", "--all"}}).is_error);
  std::vector<int> codes;
  const Outcome outcome = client.end();
  for (const Json& answer : json_lines(outcome.out)) {
    if (answer.at("id").is_null()) codes.push_back(answer.at("error").at("code"));
  }
  CHECK(codes == std::vector{-32700, -32700, -32600});
  CHECK(outcome.code == 0);
}

TEST_CASE("a line without end is refused, and takes no memory") {
  const Workspace workspace;
  Client client(workspace);
  CHECK(client.ask("ping").at("result") == Json::object());
  const long before_kb = client.peak_kb();
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 128; ++i) client.give(megabyte);
  client.give("\n");
  client.wait_for("a message is longer than 16 MiB");
  // Half of what it was sent. A buffer that doubles takes 24 MiB, or 32 where freed memory is kept
  // (sanitizers).
  CHECK(client.peak_kb() - before_kb < 64 << 10);
  CHECK(client.ask("ping").at("result") == Json::object());
  CHECK(client.end().code == 0);
}

TEST_CASE("of what a command says the end is told, bounded") {
  const Workspace workspace;
  const std::string filler(300, 'x');
  REQUIRE(Program(workspace.shell(
                      "i=0; while [ $i -lt 1200 ]; do echo \"$i " + filler + "\"; i=$((i+1)); done",
                      {"--output", "quiet", "--size", "400x40"}))
              .finish()
              .code == 0);
  Client client(workspace);
  const Said logs = client.call("logs", {{"issue", "7"}, {"lines", 1000}});
  CHECK_FALSE(logs.is_error);
  CHECK(logs.text.starts_with("[the beginning is left out]\n"));
  CHECK(logs.text.ends_with("1199 " + filler + "\n"));
  CHECK(logs.text.size() > (255 << 10));
  CHECK(logs.text.size() < (257 << 10));
}

TEST_CASE("an agent is offered what looks, knows who it is, and is refused what changes") {
  const std::string lines =
      request_line(1, "tools/list", Json::object()) + call_line(2, "kill", {{"issue", "7"}}) +
      call_line(3, "send", {{"issue", "7"}, {"text", "hi"}}) +
      call_line(4, "answer", {{"issue", "7"}, {"answer", "yes"}}) +
      call_line(5, "run", {{"issue", "8"}, {"prompt", "x"}}) +
      call_line(6, "shot", {{"issue", "7"}}) + call_line(7, "crew_inbox", Json::object()) +
      call_line(8, "whoami", Json::object());
  // codex starts its servers with a bare environment like this.
  const std::string bare = "env -i HOME=$HOME $ORCH mcp --state-dir $ORCH_STATE_DIR";
  for (const std::string& mcp : {std::string("$ORCH mcp"), bare}) {
    INFO(mcp);
    const Workspace own;
    const std::string said = said_to_agent(own, lines, 8, mcp);
    INFO(said);
    CHECK(names_in(answer_among(said, 1)) == kForAgents);
    for (int id = 2; id <= 6; ++id) {
      const Said refused = said_by(answer_among(said, id));
      CHECK(refused.is_error);
      CHECK(refused.text.starts_with("refused: "));
      CHECK(lines_of(refused.text).size() == 1);
    }
    const Said whoami = said_by(answer_among(said, 8));
    CHECK_FALSE(whoami.is_error);
    const Json me = Json::parse(whoami.text);
    CHECK(me.at("run") == own.run_of().id());
    CHECK(me.at("session") == "orch-7");
    CHECK(me.at("agent") == "scripted");
  }
}

TEST_CASE("an agent that a person trusts is offered what the person is") {
  const Workspace workspace;
  REQUIRE(Program(workspace.orch({"run", "8", "-d", "--", "sleep", "100"})).finish().code == 0);
  const std::string said = said_to_agent(workspace,
                                         request_line(1, "tools/list", Json::object()) +
                                             call_line(2, "kill", {{"issue", "8"}, {"now", true}}),
                                         2, "$ORCH mcp", {"--trust-agent"});
  INFO(said);
  CHECK(names_in(answer_among(said, 1)).contains("kill"));
  CHECK(Json::parse(said_by(answer_among(said, 2)).text).at(0).at("reason") == "killed");
}

TEST_CASE("inside of its fence an agent sees its session as it is, and is refused the same") {
  const Workspace workspace;
  const Outcome doctor = Program(workspace.orch({"doctor", "--json"})).finish();
  if (Json::parse(doctor.out).at("fence").at("landlock") == 0) {
    orch::say_skipped("this kernel has no Landlock");
    return;
  }
  const std::string said = said_to_agent(workspace,
                                         call_line(1, "kill", {{"issue", "7"}}) +
                                             call_line(2, "status", {{"issue", "7"}}) +
                                             call_line(3, "whoami", Json::object()),
                                         3, "$ORCH mcp", {"--sandbox", "landlock"});
  INFO(said);
  CHECK(said_by(answer_among(said, 1)).text.starts_with("refused: kill"));
  CHECK(Json::parse(said_by(answer_among(said, 3)).text).at("life") == "running");
  const Said status = said_by(answer_among(said, 2));
  CHECK_FALSE(status.is_error);
  CHECK(Json::parse(status.text).at("status") != "exited");
}

TEST_CASE("agents of a crew write to each other under their own names") {
  const Workspace workspace;
  const std::string lines =
      call_line(1, "crew_send", {{"to", "b"}, {"text", "--to=x\nmail by mcp"}}) +
      call_line(2, "crew_send", {{"to", "nobody"}, {"text", "x"}}) +
      call_line(3, "crew_inbox", Json::object()) + call_line(4, "whoami", Json::object());
  workspace.write("requests", lines);
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "scripted";
  manifest["program"] = {"sh", workspace.write("script", "ORCH=" ORCH_PROGRAM R"(
until $ORCH crew status --json 2>/dev/null | grep -q '"idle"'; do sleep 0.1; done
{ cat ../requests; until [ $(wc -l <../answers) -ge 4 ]; do sleep 0.1; done; } |
  env -i HOME=$HOME $ORCH mcp --state-dir $ORCH_STATE_DIR >../answers
mv ../answers ../said
sleep 1000
)")};
  workspace.write("answers", "");
  workspace.write("home/.config/orch/adapters/scripted.json", manifest.dump());
  workspace.write("project/crew.yaml",
                  "version: 1\nproject: shop\nagents:\n"
                  "  - {name: sender, role: writes, cli: scripted}\n"
                  "  - {name: b, cli: demo, prompt: \"role of b\"}\n");
  Launch up = workspace.orch({"crew", "up"});
  up.env.emplace_back("ORCH_DEMO_SCENARIO=echo");
  REQUIRE(Program(up).finish().code == 0);
  const auto until = Clock::now() + kPatience;
  const std::string wanted = "[from sender] You have mail in .crew/inbox/b.md: --to=x ...";
  bool came = false;
  while ((!came || !fs::exists(workspace.file("said"))) && Clock::now() < until) {
    ::usleep(50'000);
    for (const std::string& message : workspace.messages()) came |= message == wanted;
  }
  CHECK(came);
  CHECK(Program(workspace.orch({"crew", "down", "--now"})).finish().code == 0);
  const std::string said = content_of(workspace.file("said"));
  INFO(said);
  CHECK_FALSE(said_by(answer_among(said, 1)).is_error);
  CHECK(holds(said_by(answer_among(said, 2)).text, "is called \"nobody\""));
  CHECK(said_by(answer_among(said, 2)).is_error);
  CHECK_FALSE(said_by(answer_among(said, 3)).is_error);
  const Json me = Json::parse(said_by(answer_among(said, 4)).text);
  CHECK(me.at("agent_of_crew").at("member") == "sender");
  CHECK(me.at("agent_of_crew").at("role") == "writes");
  CHECK(me.at("agent_of_crew").at("others").at(0).at("member") == "b");
  CHECK(holds(content_of(workspace.file("project/.crew/inbox/b.md")),
              " from sender\n\n> --to=x\n> mail by mcp\n"));
}
