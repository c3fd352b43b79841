#include "session/call_check.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent_fixture.h"

namespace orch::session {
namespace {

using agent::CallDecision;
using Answer = CallDecision::Answer;
using Texts = std::vector<std::string>;

std::string event(const std::string& name, const std::string& id, const std::string& command) {
  return R"({"hook_event_name":")" + name + R"(","tool_use_id":")" + id +
         R"(","tool_name":"Bash","cwd":"/work","tool_input":{"command":")" + command + R"("}})";
}

struct Checking {
  explicit Checking(const char* agent = "claude") : manifest(agent_named(agent).manifest) {}
  void take(const std::string& json) {
    last = check.take(json, [this](const std::optional<std::string>& print) {
      printed.push_back(print.value_or("refused"));
    });
  }
  void decide(const std::string& id, Answer answer) { check.decide(id, {answer, "r"}); }

  const adapters::Manifest* manifest;
  Texts told, printed;
  std::string last;
  CallCheck check{*manifest,
                  "/work",
                  "2026-11-29T00:00:00.000Z",
                  {.on_start = [this] { told.emplace_back("start"); },
                   .on_call = [this](agent::ToolCall call) { told.push_back("call " + call.id); },
                   .on_gone = [this](const std::string& id) { told.push_back("gone " + id); },
                   .on_unread = [this](const std::string&) { told.emplace_back("unread"); }}};
};

TEST_CASE("a hook waits for its decision, and hears it once") {
  Checking one;
  one.take(R"({"hook_event_name":"SessionStart"})");
  one.take(event("PreToolUse", "t1", "ls"));
  CHECK(one.told == Texts{"start", "call c2"});
  CHECK(one.printed == Texts{""});
  one.decide("c2", Answer::kDeny);
  one.decide("c2", Answer::kAllow);  // too late
  REQUIRE(one.printed.size() == 2);
  CHECK(one.printed[1].find("deny") != std::string::npos);
}

TEST_CASE("codex asks a second time about one call, without its id: the same answer, told once") {
  const auto asks_again = [](const std::string& command) {
    return R"({"hook_event_name":"PermissionRequest","tool_name":"Bash","cwd":"/work","tool_input":{"command":")" +
           command + R"(","description":"May it?"}})";
  };
  Checking one("codex");
  one.take(event("PreToolUse", "t1", "make"));
  one.decide("c1", Answer::kDeny);
  one.take(event("PreToolUse", "t2", "make"));
  one.decide("c2", Answer::kAllow);
  one.take(asks_again("make"));
  CHECK(one.told == Texts{"call c1", "call c2"});
  REQUIRE(one.printed.size() == 3);
  CHECK(one.printed[2].find("allow") != std::string::npos);
  one.take(asks_again("make install"));
  CHECK(one.told.back() == "call c4");
}

TEST_CASE("what is not understood is refused, and the run hears of it") {
  Checking one;
  one.take("nonsense");
  CHECK(one.printed == Texts{"refused"});
  CHECK(one.told == Texts{"unread"});
}

TEST_CASE("a hook that goes before its decision is told, one that goes after it is not") {
  Checking one;
  one.take(event("PreToolUse", "t1", "ls"));
  one.check.forget("c1");
  one.decide("c1", Answer::kAllow);
  one.take(event("PreToolUse", "t2", "ls"));
  one.decide("c2", Answer::kAllow);
  one.check.forget("c2");
  CHECK(one.told == Texts{"call c1", "gone c1", "call c2"});
  CHECK(one.printed.size() == 1);
}

TEST_CASE("a call that ran as it was read is no news; any other one is") {
  Checking one;
  one.take(event("PreToolUse", "t1", "ls"));
  one.decide("c1", Answer::kAllow);
  one.take(event("PostToolUse", "t1", "ls"));
  CHECK(one.told == Texts{"call c1"});
  one.take(event("PostToolUse", "t1", "rm -rf /"));  // another hook has replaced it
  one.take(event("PostToolUse", "t9", "ls"));        // its hook was killed
  CHECK(one.told == Texts{"call c1", "unread", "unread"});
  one.take(event("PostToolUseFailure", "t1", "rm -rf /"));  // a call that ran and failed
  CHECK(one.told.size() == 4);
}

TEST_CASE("a call that was denied and ran is news: its hook was killed before it could say so") {
  Checking one;
  one.take(event("PreToolUse", "t1", "ls"));
  one.decide("c1", Answer::kDeny);
  SECTION("a hook tells it") { one.take(event("PostToolUse", "t1", "ls")); }
  SECTION("the record tells it") {
    one.check.hear_record(
        R"({"type":"assistant","timestamp":"2026-11-29T10:00:00.000Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}})");
    one.check.hear_record(
        R"({"type":"user","timestamp":"2026-11-29T10:00:01.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":false}]}})");
  }
  SECTION("the agent's output tells it") {
    one.check.hear_tool(
        {.id = "t1", .name = "Bash", .input = "", .text = "", .phase = event::ToolPhase::kEnded});
  }
  CHECK(one.told == Texts{"call c1", "unread"});
}

TEST_CASE("what the agent's own record tells that no hook told is unread") {
  constexpr const char* kMade =
      R"({"type":"assistant","timestamp":"2026-11-29T10:00:00.000Z","message":{"content":[{"type":"tool_use","id":"%","name":"Bash","input":{}}]}})";
  constexpr const char* kRan =
      R"({"type":"user","timestamp":"2026-11-29T10:00:01.000Z","message":{"content":[{"type":"tool_result","tool_use_id":"%","is_error":false}]}})";
  Checking one;
  const auto hear = [&one](std::string line, const std::string& id) {
    line.replace(line.find('%'), 1, id);
    one.check.hear_record(line);
  };
  one.take(event("PreToolUse", "t1", "ls"));
  one.decide("c1", Answer::kAllow);
  hear(kMade, "t1");
  hear(kRan, "t1");
  CHECK(one.told == Texts{"call c1"});
  hear(kMade, "t2");
  CHECK(one.told.size() == 1);
  SECTION("it ran") {
    hear(kRan, "t2");
    CHECK(one.told == Texts{"call c1", "unread"});
  }
  SECTION("it ran, and failed") {
    std::string failed = kRan;
    failed.replace(failed.find("false"), 5, R"(true,"content":"Exit code 127\nnot found")");
    hear(failed, "t2");
    CHECK(one.told == Texts{"call c1", "unread"});
    one.check.hear_tool({.id = "t3",
                         .name = "Bash",
                         .input = "",
                         .text = "Exit code 1",
                         .phase = event::ToolPhase::kEnded,
                         .failed = true});
    CHECK(one.told.size() == 3);
  }
  SECTION("it was refused, or is of an earlier run") {
    std::string refused = kRan;
    refused.replace(refused.find("false"), 5, "true");
    hear(refused, "t2");
    std::string earlier = kRan;
    earlier.replace(earlier.find("2026-11-29T10"), 13, "2026-11-28T10");
    hear(earlier, "t2");
    CHECK(one.told.size() == 1);
  }
  SECTION("the agent's output tells it") {
    one.check.hear_tool(
        {.id = "t1", .name = "Bash", .input = "", .text = "", .phase = event::ToolPhase::kEnded});
    CHECK(one.told.size() == 1);
    one.check.hear_tool(
        {.id = "t3", .name = "Bash", .input = "", .text = "", .phase = event::ToolPhase::kEnded});
    CHECK(one.told.size() == 2);
  }
}

TEST_CASE("a call that was just decided is remembered, however many were before") {
  Checking one;
  for (int n = 1; n <= 9'000; ++n) {
    const std::string id = "t" + std::to_string(n);
    one.take(event("PreToolUse", id, "ls"));
    one.decide(one.last, Answer::kAllow);
    one.take(event("PostToolUse", id, "ls"));
  }
  CHECK(std::count(one.told.begin(), one.told.end(), "unread") == 0);
  one.take(event("PreToolUse", "a", "ls"));
  one.decide(one.last, Answer::kAllow);
  for (int n = 0; n < 4'096; ++n) {
    one.take(event("PreToolUse", "b" + std::to_string(n), "ls"));
    one.decide(one.last, Answer::kAllow);
  }
  one.take(event("PostToolUse", "a", "ls"));
  CHECK(std::count(one.told.begin(), one.told.end(), "unread") == 0);
}

TEST_CASE("a second event of the same call is answered as the first one, another input is not") {
  Checking one;
  one.take(event("PreToolUse", "t1", "ls"));
  one.decide("c1", Answer::kDeny);
  one.take(event("PreToolUse", "t1", "ls"));
  CHECK(one.told == Texts{"call c1"});
  REQUIRE(one.printed.size() == 2);
  CHECK(one.printed[0] == one.printed[1]);
  one.take(event("PreToolUse", "t1", "rm x"));
  CHECK(one.told == Texts{"call c1", "call c3"});
}

}  // namespace
}  // namespace orch::session
