// Agents without a terminal: the JSON lines that they write become a run like any other.
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// Scripts for an agent: it reads its message, keeps it, and prints what the test wants. $N is the
// number of the process, from 1; "$@" are its arguments.
constexpr const char* kBegin = R"(N=$(($(cat count 2>/dev/null || echo 0) + 1)); echo $N > count
)";
constexpr const char* kTakeAll = "cat > message.$N; echo \"$@\" > arguments.$N\n";
constexpr const char* kSession = R"(echo '{"type":"session","id":"conversation-1"}'
)";
constexpr const char* kEnd = R"(echo '{"type":"end","tokens":{"in":100,"out":7}}'
)";

// A command that prints a record with `text`, which is escaped for JSON already.
std::string say(const std::string& text) {
  return "printf '%s\\n' '{\"type\":\"say\",\"text\":\"" + text + "\"}'\n";
}

constexpr const char* kLines = R"("lines": [
  {"is": "session", "when": {"/type": "session"}, "id": "/id"},
  {"is": "words", "when": {"/type": "say"}, "text": "/text"},
  {"is": "tool", "when": {"/type": "tool"}, "id": "/id", "name": "/name", "input": "/input"},
  {"is": "tool_end", "when": {"/type": "result"}, "id": "/id", "text": "/text"},
  {"is": "request", "when": {"/type": "ask"}, "id": "/id", "name": "/name", "input": "/input"},
  {"is": "failure", "when": {"/type": "failed"}, "text": "/text", "code": "/code"},
  {"is": "end", "when": {"/type": "end"}, "usage": {"in": ["/tokens/in"], "out": ["/tokens/out"], "cost": "/usd"}}],
  "tools": [{"name": "^shell$", "is": "command", "at": ["/command"]}],
  "error_rows": [{"match": "^denied", "is": "denied"}])";

// Installs an agent with that script; `more` are further members of its headless mode, `members` of
// its manifest.
void install(const Workspace& workspace, const std::string& script, const std::string& more = "",
             const std::string& members = "") {
  const std::string path = workspace.write("agent.sh", kBegin + script);
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest": 1, "name": "own", "title": "Own", "program": ["/bin/sh"],)" +
                      (members.empty() ? "" : members + ",") + R"("headless": {"arguments": [")" +
                      path + R"(", "{options}", "{resume}"], "resume": ["--resume", "{}"],)" +
                      (more.empty() ? "" : more + ",") + kLines + "}}");
}

Launch headless(const Workspace& workspace, Words words = {}) {
  Words all{"run", "7", "--agent", "own", "--mode", "headless", "--sandbox", "none"};
  all.insert(all.end(), words.begin(), words.end());
  return workspace.orch(std::move(all));
}

Outcome run(const Workspace& workspace, Words words = {}) {
  return Program(headless(workspace, std::move(words))).finish();
}

std::string in_project(const Workspace& workspace, const std::string& name) {
  return content_of(workspace.project() + "/" + name);
}

}  // namespace

TEST_CASE(
    "the keyword completes nothing if the output breaks off, nor if no line took the message up") {
  const bool takes = GENERATE(true, false);  // whether the agent has a line for that at all
  const Workspace workspace;
  install(workspace,
          "head -n 1 > /dev/null\n" + std::string(kSession) + say("Done.\\n\\nLOOP_COMPLETE"),
          takes ? R"("message": "{\"m\":{text}}")" : "");
  if (takes) {
    const std::string path = workspace.file("home/.config/orch/adapters/own.json");
    std::string manifest = content_of(path);
    const std::string lines = R"("lines": [)";
    manifest.insert(manifest.find(lines) + lines.size(),
                    R"({"is": "taken", "when": {"/type": "took"}},)");
    workspace.write("home/.config/orch/adapters/own.json", manifest);
  }
  const Outcome outcome = run(workspace, {"-p", "x"});
  check_ending(workspace, outcome, "agent_error", 1);
  CHECK(outcome.err.find("without a word on how the turn ended") != std::string::npos);
}

TEST_CASE("a headless agent goes on in its conversation until it says that all is done") {
  const Workspace workspace;
  install(workspace,
          kTakeAll + std::string(kSession) +
              R"(if [ $N = 1 ]; then
)" + say("The first half.") +
              R"(echo '{"type":"tool","id":"t1","name":"shell","input":{"command":"make"}}'
echo '{"type":"result","id":"t1","text":"built"}'
)" + say("More to come.") +
              "else\n" + say("Done.\\n\\nLOOP_COMPLETE") + "fi\n" + kEnd);
  const Outcome outcome = run(workspace, {"-p", "Do 'it'\n$(touch x) \"now\""});
  const RunFolder folder = check_ending(workspace, outcome, "complete", 0);
  CHECK(folder.result.at("turns") == 2);
  CHECK(in_project(workspace, "message.1").starts_with("Do 'it'\n$(touch x) \"now\"\n"));
  CHECK(in_project(workspace, "arguments.1") == "\n");
  CHECK(in_project(workspace, "arguments.2") == "--resume conversation-1\n");
  CHECK(outcome.out.find("The first half.\n") != std::string::npos);
  CHECK(outcome.out.find("shell(make)") != std::string::npos);
  CHECK(folder.record.at("agent_session") == "conversation-1");
  CHECK(folder.record.at("request").at("mode") == "headless");
  int tools = 0, tokens = 0;
  for (const Json& event : folder.events) {
    tools += event.at("event") == "tool" ? 1 : 0;
    if (event.at("event") == "usage") tokens += event.at("in").get<int>();
  }
  CHECK(tools == 2);
  CHECK(tokens == 200);
}

TEST_CASE("a headless agent's exit code says nothing: its last line does") {
  const Workspace workspace;
  SECTION("exit 0 in the middle of the turn") {
    install(workspace, kTakeAll + std::string(kSession) + say("I begin.") +
                           "echo 'the network is gone' >&2; exit 0");
    const RunFolder folder = check_ending(workspace, run(workspace, {"-p", "x"}), "agent_error", 1);
    CHECK(folder.result.at("detail").get<std::string>().ends_with(": the network is gone"));
  }
  SECTION("... whatever it has said before") {
    install(workspace, kTakeAll + std::string(kSession) + say("LOOP_COMPLETE"));
    check_ending(workspace, run(workspace, {"-p", "x"}), "agent_error", 1);
  }
  SECTION("a failure after the keyword") {
    install(workspace,
            kTakeAll + say("LOOP_COMPLETE") + R"(echo '{"type":"failed","text":"no","code":500}')");
    const RunFolder folder = check_ending(workspace, run(workspace, {"-p", "x"}), "agent_error", 1);
    CHECK(folder.result.at("detail") == "the turn ended in an error: api: no");
  }
  SECTION("a login that is refused: it is said what to do about it") {
    install(workspace,
            kTakeAll + std::string(R"(echo '{"type":"failed","text":"who?","code":401}')"), "",
            R"("login": {"variables": ["OWN_KEY"], "how": "set OWN_KEY"})");
    const Outcome outcome = run(workspace, {"-p", "x"});
    const RunFolder folder = check_ending(workspace, outcome, "agent_error", 1);
    const std::string detail = "the turn ended in an error: auth: who?; to log in: set OWN_KEY";
    CHECK(folder.result.at("detail") == detail);
    CHECK(outcome.err.find(detail) != std::string::npos);
  }
  SECTION("a signal") {
    install(workspace, kTakeAll + std::string(kSession) + say("I begin.") + "kill -9 $$");
    check_ending(workspace, run(workspace, {"-p", "x"}), "agent_signal", 137);
  }
  SECTION("the turn is over, and then exit 3") {
    install(workspace, kTakeAll + say("Done.") + kEnd + "exit 3");
    check_ending(workspace, run(workspace, {"-p", "x", "--until", "idle"}), "idle", 0);
  }
  SECTION("a tool is the last that is heard") {
    install(workspace, kTakeAll + say("I look.") +
                           R"(echo '{"type":"tool","id":"t","name":"shell","input":{}}'
)" + kEnd);
    check_ending(workspace, run(workspace, {"-p", "x", "--until", "idle"}), "agent_error", 1);
  }
  SECTION("a failure of the model") {
    install(workspace,
            kTakeAll + std::string(R"(echo '{"type":"failed","text":"no","code":429}')"));
    check_ending(workspace, run(workspace, {"-p", "x"}), "retry_later", 75);
  }
  SECTION("... that says when it may be asked again") {
    install(
        workspace,
        kTakeAll + std::string(
                       R"(echo '{"type":"failed","text":"Try again in 30 seconds.","code":429}')"));
    const RunFolder folder =
        check_ending(workspace, run(workspace, {"-p", "x"}), "retry_later", 75);
    CHECK(folder.result.at("retry_after_ms") == 30'000);
  }
  SECTION("what is no JSON is told, and does no harm") {
    install(workspace, kTakeAll + std::string("echo 'npm notice'; printf '\\377{\\n'\n") +
                           say("LOOP_COMPLETE") + kEnd);
    const RunFolder folder = check_ending(workspace, run(workspace, {"-p", "x"}), "complete", 0);
    CHECK(folder.words() == "");
    CHECK(holds(folder.transcript, "LOOP_COMPLETE\n"));
  }
}

TEST_CASE("a prompt of any length reaches a headless agent whole") {
  const Workspace workspace;
  install(workspace, kTakeAll + say("LOOP_COMPLETE") + kEnd);
  std::string prompt;
  while (prompt.size() < 300'000) prompt += "line " + std::to_string(prompt.size()) + " \u20ac\n";
  Launch launch = headless(workspace, {"--prompt-file", "-"});
  launch.input = prompt;
  check_ending(workspace, Program(launch).finish(), "complete", 0);
  CHECK(in_project(workspace, "message.1").starts_with(prompt));
}

TEST_CASE("what a headless agent asks is decided by the policy, one thing after the other") {
  const Workspace workspace;
  const std::string policy = workspace.write("policy.json", R"({"rules": [
      {"name": "touch", "command": "^touch [a-z]+$", "answer": "allow"},
      {"name": "rest", "answer": "deny"}]})");
  install(
      workspace,
      R"(read -r message
echo '{"type":"ask","id":"1","name":"shell","input":{"command":"touch good"}}'
echo '{"type":"ask","id":"2","name":"shell","input":{"command":"rm -rf /"}}'
read -r first; echo "$first" > answers
read -r second; echo "$second" >> answers
)" + say("LOOP_COMPLETE") +
          kEnd + "cat > /dev/null",
      R"("message": "{\"text\":{text}}", "allow": "yes {id} {input}", "deny": "no {id} {text}")");
  const auto check_answers = [&workspace] {
    const Words answers = lines_of(in_project(workspace, "answers"));
    REQUIRE(answers.size() == 2);
    CHECK(answers[0] == R"(yes "1" {"command":"touch good"})");
    CHECK(answers[1].starts_with(R"(no "2" "This was not allowed)"));
  };
  SECTION("by rules") {
    const Words words{"-p", "x", "--approve", policy};
    check_ending(workspace, run(workspace, words), "complete", 0);
    check_answers();
  }
  SECTION("by the denylist, where all is allowed") {
    check_ending(workspace, run(workspace, {"-p", "x", "--approve", "all"}), "complete", 0);
    check_answers();
  }
  SECTION("by nobody") { check_ending(workspace, run(workspace, {"-p", "x"}), "needs_human", 10); }
}

TEST_CASE("a file of rules is refused before the start where a headless agent asks nobody") {
  const Workspace workspace;
  install(workspace, kTakeAll);
  const std::string policy = workspace.write("policy.json", "{}");
  const Outcome outcome = run(workspace, {"-p", "x", "--approve", policy});
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("has no dialogs in headless mode") != std::string::npos);
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("what a headless agent denied itself needs a human") {
  const Workspace workspace;
  install(workspace,
          kTakeAll + say("I try.") +
              R"(echo '{"type":"tool","id":"t","name":"shell","input":{"command":"touch x"}}'
sleep 0.5; echo 'denied: shell' >&2; sleep 60)");
  const Outcome outcome = run(workspace, {"-p", "x"});
  check_ending(workspace, outcome, "needs_human", 10);
  CHECK(holds(outcome.err, "; --approve all allows it, --mode interactive lets the agent ask\n"));
  CHECK_FALSE(holds(outcome.err, "orch answer"));
}

TEST_CASE("an agent that has used up its tokens or its money gets no further turn") {
  const Workspace workspace;
  install(workspace, kTakeAll + std::string(kSession) + say("Turn $N, and not done.") +
                         R"(echo '{"type":"end","tokens":{"in":100,"out":7},"usd":0.75}')");
  SECTION("tokens") {
    const Outcome outcome = run(workspace, {"-p", "x", "--max-tokens", "200"});
    const RunFolder folder = check_ending(workspace, outcome, "tokens", 124);
    CHECK(folder.result.at("turns") == 2);
    CHECK(folder.result.at("usage").at("in") == 200);
    CHECK(folder.result.at("usage").at("out") == 14);
    CHECK(folder.record.at("verdict").at("usage") == folder.result.at("usage"));
    CHECK(Program(workspace.orch({"runs"})).finish().out.find(" 214 ") != std::string::npos);
    const std::string shown = Program(workspace.orch({"show", "7"})).finish().out;
    CHECK(shown.find("200 tokens in (0 cached), 14 out") != std::string::npos);
  }
  SECTION("money") {
    const Outcome outcome = run(workspace, {"-p", "x", "--max-cost", "0.5"});
    CHECK(check_ending(workspace, outcome, "cost", 124).result.at("turns") == 1);
  }
  SECTION("an agent that does not tell") {
    const Outcome outcome =
        Program(workspace.demo("default", {"-p", "x", "--max-tokens", "5"})).finish();
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("supports_usage is false") != std::string::npos);
  }
  SECTION("numbers that are none") {
    CHECK(run(workspace, {"-p", "x", "--max-tokens", "0"}).code == 2);
    CHECK(run(workspace, {"-p", "x", "--max-tokens", "12k"}).code == 2);
    CHECK(run(workspace, {"-p", "x", "--max-cost", "-1"}).code == 2);
    CHECK(run(workspace, {"-p", "x", "--max-cost", "nan"}).code == 2);
  }
}

TEST_CASE("what a headless agent leaves behind is ended with the run") {
  const Workspace workspace;
  install(workspace, kTakeAll + std::string("setsid sleep 1000 & echo $! > left\n") +
                         say("LOOP_COMPLETE") + kEnd);
  check_ending(workspace, run(workspace, {"-p", "x"}), "complete", 0);
  const std::string left = in_project(workspace, "left");
  CHECK(ends(static_cast<pid_t>(std::stoi(left))));
}

TEST_CASE("a headless session takes messages, and has no screen to attach to") {
  const Workspace workspace;
  install(workspace, kTakeAll + std::string(kSession) + say("Heard.") + kEnd);
  REQUIRE(Program(headless(workspace, {"-d", "-p", "one", "--until", "exit"})).finish().code == 0);
  const auto says = [&workspace](Words words) {
    return Program(workspace.orch(std::move(words))).finish();
  };
  REQUIRE(says({"wait", "7", "--until", "idle"}).code == 0);
  const Outcome sent = says({"send", "7", "two", "--wait", "idle"});
  INFO(sent.err);
  CHECK(sent.code == 0);
  CHECK(in_project(workspace, "message.2") == "two");
  CHECK(in_project(workspace, "arguments.2") == "--resume conversation-1\n");
  CHECK(says({"attach", "7"}).code == 2);
  const Outcome typed = says({"keys", "7", "h", "Enter"});
  CHECK(typed.code == 2);
  CHECK(typed.err ==
        "orch: session orch-7: a headless agent takes no keys; orch send gives it a message\n");
  CHECK(says({"kill", "7"}).code == 0);
  const RunFolder folder = workspace.run_of();
  CHECK(folder.result.at("reason") == "killed");
  CHECK(folder.words() == "Heard.\nHeard.\n");

  REQUIRE(says({"continue", folder.id(), "three", "-d"}).code == 0);
  REQUIRE(says({"wait", "7", "--until", "idle"}).code == 0);
  CHECK(in_project(workspace, "message.3") == "three");
  CHECK(in_project(workspace, "arguments.3") == "--resume conversation-1\n");
  CHECK(says({"kill", "7"}).code == 0);
}

TEST_CASE("a reset ends the process of a headless agent, and the next one begins anew") {
  const Workspace workspace;
  install(workspace,
          "echo \"$@\" > arguments.$N\nwhile read -r message; do\n" + std::string(kSession) +
              say("Heard.") + kEnd + "done",
          R"("message": "{\"text\":{text}}")");
  const auto says = [&workspace](Words words) {
    return Program(workspace.orch(std::move(words))).finish();
  };
  REQUIRE(Program(headless(workspace, {"-d", "-p", "one", "--until", "exit"})).finish().code == 0);
  REQUIRE(says({"wait", "7", "--until", "idle"}).code == 0);
  REQUIRE(says({"kill", "7"}).code == 0);
  const std::string first = workspace.run_of().id();
  REQUIRE(says({"continue", first, "two", "-d"}).code == 0);
  REQUIRE(says({"wait", "7", "--until", "idle"}).code == 0);
  CHECK(in_project(workspace, "arguments.2") == "--resume conversation-1\n");
  const Outcome reset = says({"reset", "7"});
  INFO(reset.err);
  CHECK(reset.code == 0);
  CHECK(says({"send", "7", "three", "--wait", "idle"}).code == 0);
  CHECK(in_project(workspace, "arguments.3") == "\n");
  CHECK(says({"kill", "7"}).code == 0);
}

TEST_CASE("a signal that comes after the verdict cancels nothing") {
  const Workspace workspace;
  install(workspace,
          "while read -r message; do\n" + std::string(kSession) + say("LOOP_COMPLETE") + kEnd +
              "done\ntouch leaving; exec sleep 2",
          R"("message": "{\"text\":{text}}")");
  Program program(headless(workspace, {"-p", "x"}));
  REQUIRE(comes(workspace.project() + "/leaving"));
  program.signal(SIGINT);
  const RunFolder run = check_ending(workspace, program.finish(), "complete", 0);
  CHECK(run.result.at("cancelled_at").is_null());
}

TEST_CASE("a turn that ends while its life is looked at leaves the next one its --idle-timeout") {
  const Workspace workspace;
  // The silence of the first turn is checked from second 2 to second 4.
  install(workspace, std::string(kTakeAll) + "if [ $N = 1 ]; then sleep 3\n" + kSession +
                         say("not yet") + kEnd + "else exec sleep 1000; fi\n");
  const Outcome outcome =
      run(workspace, {"-p", "work", "--idle-timeout", "2s", "--timeout", "60s"});
  const RunFolder folder = check_ending(workspace, outcome, "stuck", 124);
  CHECK(folder.result.at("detail").get<std::string>().starts_with("--idle-timeout 2s passed"));
}

TEST_CASE("the end of a headless agent is told once, whoever holds what it had open") {
  const Workspace workspace;
  install(workspace, "(exec 2>&-; sleep 4) & echo gone >&2; exit 3\n");  // its input is never read
  const std::string prompt = workspace.write("prompt", std::string(1 << 20, 'x'));
  const Outcome outcome = run(workspace, {"--prompt-file", prompt});
  const RunFolder folder = check_ending(workspace, outcome, "agent_failed", 1);
  const std::string log = content_of(folder.path + "/orch.log");
  const std::string verdict = "session: agent_failed (exit 1)";
  const size_t first = log.find(verdict);
  REQUIRE(first != std::string::npos);
  CHECK(log.find(verdict, first + 1) == std::string::npos);
}
