// Messages that other processes send to a session: if one is accepted, the agent has it once.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// A demo agent in the background that waits for messages. The destructor ends it.
class Agent {
 public:
  explicit Agent(const std::string& scenario = "echo", Words words = {},
                 const std::string& lag_ms = "0") {
    words.insert(words.end(), {"-d", "--until", "exit"});
    Launch launch = workspace.demo(scenario, std::move(words));
    launch.env.push_back("ORCH_DEMO_LAG=" + lag_ms);
    REQUIRE(Program(launch).finish().code == 0);
  }
  ~Agent() { orch({"kill", "7", "--now"}); }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  Outcome orch(Words words, const std::string& input = "") const {
    Launch launch = workspace.orch(std::move(words));
    launch.input = input;
    return Program(launch).finish();
  }
  Launch sending(const std::string& text, Words words = {}) const {
    words.insert(words.begin(), {"send", "7", text});
    return workspace.orch(std::move(words));
  }

  const Workspace workspace;
};

}  // namespace

TEST_CASE("accepted means that the agent has the message, as it was") {
  const Agent agent;
  const std::string message = "two\n\tlines, “quotes”, 日本語 and café; [Pasted text #1]\n❯ 1. Yes";
  const Outcome sent = agent.orch({"send", "7", "-", "--json"}, message);
  CHECK(sent.code == 0);
  CHECK(agent.workspace.messages() == std::vector{message});
  const Json told = Json::parse(sent.out);
  CHECK(told.at("message") == "m1");
  CHECK(told.at("result") == "accepted");
  CHECK(told.at("detail").is_null());
  CHECK(told.at("screen").is_null());
  CHECK(told.at("session") == "orch-7");
}

TEST_CASE("with --wait idle the turn is over, too") {
  const Agent agent;
  const Outcome sent = agent.orch({"send", "7", "hello", "--wait", "idle", "--json"});
  CHECK(sent.code == 0);
  CHECK(Json::parse(sent.out).at("status") == "idle");
  const Outcome status = agent.orch({"status", "7", "--json"});
  CHECK(Json::parse(status.out).at("turns") == 1);
}

TEST_CASE("messages of several senders arrive whole, each once") {
  const Agent agent;
  std::vector<std::unique_ptr<Program>> senders;
  std::vector<std::string> messages;
  for (int i = 0; i < 4; ++i) {
    messages.push_back("message " + std::to_string(i) + "\nof several");
    senders.push_back(std::make_unique<Program>(agent.sending(messages.back())));
  }
  for (const auto& sender : senders) CHECK(sender->finish().code == 0);
  std::vector<std::string> arrived = agent.workspace.messages();
  std::sort(arrived.begin(), arrived.end());
  CHECK(arrived == messages);
}

TEST_CASE("somebody's draft blocks a message and stays") {
  const Agent agent;
  REQUIRE(agent.orch({"wait", "7"}).code == 0);
  REQUIRE(agent.orch({"keys", "7", "d", "r", "a", "f", "t"}).code == 0);
  const Outcome sent = agent.orch({"send", "7", "hello"});
  CHECK(sent.code == 10);
  CHECK(sent.err.find("orch: orch-7: blocked: the input box holds a draft\n") == 0);
  CHECK(sent.err.find("draft\n  |") != std::string::npos);
  CHECK(agent.workspace.messages().empty());
  REQUIRE(agent.orch({"keys", "7", "Enter"}).code == 0);
  CHECK(agent.orch({"send", "7", "hello"}).code == 0);
  CHECK(agent.workspace.messages() == std::vector<std::string>{"draft", "hello"});
}

TEST_CASE("a message never goes behind keys whose echo is late") {
  const Agent agent("echo", {}, "1500");
  REQUIRE(agent.orch({"wait", "7"}).code == 0);
  REQUIRE(agent.orch({"keys", "7", "W", "R", "O", "N", "G"}).code == 0);
  const Outcome sent = agent.orch({"send", "7", "please do this"});
  CHECK(sent.code == 10);
  CHECK(sent.err.find("blocked: the input box holds a draft\n") != std::string::npos);
  REQUIRE(agent.orch({"keys", "7", "C-u"}).code == 0);
  CHECK(agent.orch({"send", "7", "please do this"}).code == 0);
  CHECK(agent.workspace.messages() == std::vector<std::string>{"please do this"});
}

TEST_CASE("what an input box shows in part, or not at all, is in nobody's way") {
  const Agent agent;
  const std::string odd = "a frame │ and\u00a0a blank\tand a tab";
  CHECK(agent.orch({"send", "7", odd}).code == 0);
  CHECK(agent.orch({"send", "7", "\u200b"}).code == 10);
  CHECK(agent.orch({"send", "7", "│"}).code == 10);
  // A text that is longer than the box can show in its half of the screen.
  const Outcome sent = agent.orch({"send", "7", std::string(9'000, 'x')});
  CHECK(sent.code == 3);
  CHECK(agent.orch({"send", "7", "the next"}).code == 0);
  CHECK(agent.workspace.messages() == std::vector<std::string>{odd, "the next"});
}

TEST_CASE("a message that would be a command is refused unless it is meant") {
  const Agent agent;
  const Outcome refused = agent.orch({"send", "7", "/help me"});
  CHECK(refused.code == 2);
  CHECK(refused.err == "orch: orch-7: would_be_command: the message begins with '/'\n");
  CHECK(agent.orch({"send", "7", "/clear", "--as-command", "--wait", "idle"}).code == 0);
  CHECK(agent.workspace.messages().empty());
}

TEST_CASE("a word that would end the agent is refused, and as a run's own prompt it is words") {
  const Agent agent("echo", {"-p", "exit"});
  REQUIRE(agent.orch({"wait", "7"}).code == 0);
  const Outcome refused = agent.orch({"send", "7", "quit"});
  CHECK(refused.code == 2);
  CHECK(refused.err == "orch: orch-7: would_be_command: the message is a command: quit\n");
  CHECK(agent.orch({"send", "7", "go on"}).code == 0);
  CHECK(agent.workspace.messages() ==
        std::vector<std::string>{"Please do what follows.\nexit", "go on"});
}

TEST_CASE("a message that comes too late is not typed") {
  const Agent agent("hang", {"-p", "begin"});
  REQUIRE(agent.orch({"wait", "7", "--until", "working"}).code == 0);
  REQUIRE(agent.orch({"send", "7", "hello", "--timeout", "1s"}).code == 124);
  CHECK(agent.workspace.messages() == std::vector<std::string>{"begin"});
}

TEST_CASE("what goes wrong is told, and the message is not sent twice") {
  struct Row {
    std::string scenario;
    int code;
    std::string result;
    size_t messages;
  };
  for (const Row& row : {Row{"swallow-enter", 0, "accepted", 1},
                         {"late-repaint", 0, "accepted", 1},
                         {"lose-paste", 3, "unconfirmed", 0},
                         {"die-on-paste", 4, "exited", 0}}) {
    INFO(row.scenario);
    const Agent agent(row.scenario);
    const Outcome sent = agent.orch({"send", "7", "hello", "--json"});
    CHECK(sent.code == row.code);
    CHECK(Json::parse(sent.out).at("result") == row.result);
    CHECK(agent.workspace.messages().size() == row.messages);
  }
}

TEST_CASE("a dialog between text and Enter is somebody's to answer; then the message goes on") {
  const Agent agent("dialog-on-paste", {"--ask-timeout", "1m"});
  Program sender(agent.sending("hello"));
  REQUIRE(agent.orch({"wait", "7", "--until", "waiting"}).code == 0);
  REQUIRE(agent.orch({"keys", "7", "Enter"}).code == 0);
  CHECK(sender.finish().code == 0);
  CHECK(agent.workspace.messages() == std::vector<std::string>{"hello"});
}

TEST_CASE("a message behind a turn that stands at a dialog is blocked") {
  const Agent agent("permission", {"-p", "begin", "--ask-timeout", "1m"});
  REQUIRE(agent.orch({"wait", "7", "--until", "waiting"}).code == 0);
  const Outcome sent = agent.orch({"send", "7", "hello", "--json"});
  CHECK(sent.code == 10);
  CHECK(Json::parse(sent.out).at("result") == "blocked");
  CHECK(agent.workspace.messages() == std::vector<std::string>{"begin"});
}

TEST_CASE("a sender that is interrupted takes back what was not typed") {
  const Agent agent("hang", {"-p", "begin"});
  Program sender(agent.sending("never mind"));
  const auto happened = [&agent](const std::string& what) {
    return agent.orch({"logs", "7", "--json"}).out.find(what) != std::string::npos;
  };
  while (!happened(R"("id":"m1","phase":"accepted")") || !happened(R"("id":"m2")")) {
  }
  sender.signal(SIGINT);
  sender.finish();
  REQUIRE(agent.orch({"keys", "7", "Escape"}).code == 0);
  REQUIRE(agent.orch({"wait", "7"}).code == 0);
  CHECK(agent.orch({"send", "7", "instead"}).code == 0);
  CHECK(agent.workspace.messages() == std::vector<std::string>{"begin", "instead"});
}

TEST_CASE("what cannot be a message is refused before anything is sent") {
  const Agent agent;
  CHECK(agent.orch({"send", "7", " \n "}).code == 2);
  CHECK(agent.orch({"send", "7", "-"}, "a\xff").code == 2);
  CHECK(agent.orch({"send", "7", "-"}, std::string(2 << 20, 'x')).code == 2);
  CHECK(agent.orch({"send", "7", "x", "--wait", "done"}).code == 2);
  CHECK(agent.orch({"send", "8", "x"}).code == 4);
  CHECK(agent.workspace.messages().empty());
}

TEST_CASE("a program whose idle is not known takes no messages") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("sleep 100", {"-d"})).finish().code == 0);
  const Outcome sent = Program(workspace.orch({"send", "7", "hello"})).finish();
  CHECK(sent.code == 2);
  CHECK(sent.err.find("takes no messages") != std::string::npos);
  Program(workspace.orch({"kill", "7", "--now"})).finish();
}
