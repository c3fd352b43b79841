#include "event/event.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace orch::event;

namespace {

constexpr int64_t kMs = 1234;

}  // namespace

TEST_CASE("the session record says once what holds for all that follow") {
  const SessionStart start{"orch-42", "20261121T100000-42-0a1b", "42", "claude",
                           "2026-11-21T10:00:01.234Z"};
  CHECK(to_json(0, start) ==
        R"({"ms":0,"event":"session","v":2,"session":"orch-42","run":"20261121T100000-42-0a1b",)"
        R"("issue":"42","agent":"claude","started":"2026-11-21T10:00:01.234Z"})");
}

TEST_CASE("the session record of a replay says what is known: the agent") {
  SessionStart start;
  start.agent = "codex";
  CHECK(to_json(0, start) == R"({"ms":0,"event":"session","v":2,"agent":"codex"})");
}

TEST_CASE("where records of several sessions meet each says whose it is") {
  CHECK(with_session(to_json(kMs, Turn{3, false}), "orch-42") ==
        R"({"session":"orch-42","ms":1234,"event":"turn","n":3,"phase":"began"})");
}

TEST_CASE("a status record has all its fields in the documented order") {
  const StatusChange change{AgentStatus::kWaiting,
                            Cause::kPermission,
                            AgentStatus::kWorking,
                            "claude/permission",
                            17,
                            2,
                            64};
  CHECK(to_json(kMs, change) ==
        R"({"ms":1234,"event":"status","status":"waiting",)"
        R"("cause":"permission","from":"working","rule":"claude/permission","row":17,)"
        R"("samples":2,"lag_ms":64})");
}

TEST_CASE("what is not known of a status is null") {
  CHECK(to_json(kMs, StatusChange{}) ==
        R"({"ms":1234,"event":"status","status":"starting","cause":null,"from":null,)"
        R"("rule":null,"row":null,"samples":0,"lag_ms":0})");
}

TEST_CASE("an output record carries one line") {
  CHECK(to_json(kMs, Output{"say \"hi\" \\ ✳\t"}) ==
        R"({"ms":1234,"event":"output","speaker":"agent","text":"say \"hi\" \\ ✳\t"})");
}

TEST_CASE("a message record says how far it came") {
  CHECK(to_json(kMs, Message{"m3", MessagePhase::kQueued, ""}) ==
        R"({"ms":1234,"event":"message","id":"m3","phase":"queued","reason":null})");
  CHECK(to_json(kMs, Message{"m3", MessagePhase::kFailed, "blocked"}) ==
        R"({"ms":1234,"event":"message","id":"m3","phase":"failed","reason":"blocked"})");
  CHECK(name(MessagePhase::kSent) == "sent");
  CHECK(name(MessagePhase::kAccepted) == "accepted");
}

TEST_CASE("an output record says whose line it is, and what else there is to say of it") {
  CHECK(to_json(kMs, Output{"ls", Speaker::kTool}) ==
        R"({"ms":1234,"event":"output","speaker":"tool","text":"ls"})");
  CHECK(to_json(kMs, Output{.text = "words", .continues = true}) ==
        R"({"ms":1234,"event":"output","speaker":"agent","continues":true,"text":"words"})");
  CHECK(to_json(kMs, Output{.text = "", .speaker = Speaker::kUser, .gap = true}) ==
        R"({"ms":1234,"event":"output","speaker":"user","gap":true,"text":""})");
}

TEST_CASE("a line reads in text as whose it is") {
  CHECK(to_text({"words\x1b"}) != "words\x1b");  // control characters are replaced
  CHECK(to_text({"words"}) == "words");
  CHECK(to_text({"ls", Speaker::kTool}) == "ls");
  CHECK(to_text({"go on", Speaker::kUser}) == "❯ go on");
  CHECK_FALSE(to_text({"◆ note", Speaker::kNotice}));
  CHECK(to_text({.text = "", .gap = true}).value_or("").find("missing") != std::string::npos);
}

TEST_CASE("a dialog record has the question, the options and who answered") {
  const Dialog dialog{Cause::kPermission,
                      "Bash command",
                      "touch out.txt",
                      {"Yes", "No"},
                      "No",
                      "policy:deny",
                      "Bash",
                      "touch out.txt",
                      {},
                      true};
  CHECK(to_json(kMs, dialog) ==
        R"({"ms":1234,"event":"dialog","cause":"permission","title":"Bash command",)"
        R"("body":"touch out.txt","options":["Yes","No"],"answer":"No","by":"policy:deny",)"
        R"("tool":"Bash","command":"touch out.txt","paths":[],"complete":true})");
  CHECK(to_json(kMs, Dialog{}) ==
        R"({"ms":1234,"event":"dialog","cause":null,"title":"","body":"","options":[],)"
        R"("answer":null,"by":null,"tool":null,"command":null,"paths":[],"complete":false})");
}

TEST_CASE("turn and exit records") {
  CHECK(to_json(kMs, Turn{3, false}) == R"({"ms":1234,"event":"turn","n":3,"phase":"began"})");
  CHECK(to_json(kMs, Exit{124, ExitReason::kStuck}) ==
        R"({"ms":1234,"event":"exit","code":124,"reason":"stuck"})");
}

TEST_CASE("what is written is read again as it was") {
  const std::vector<Event> events{
      SessionStart{"orch-42", "20261121T100000-42-0a1b", "42", "claude",
                   "2026-11-21T10:00:01.234Z"},
      SessionStart{},
      StatusChange{},
      StatusChange{AgentStatus::kWaiting, Cause::kPermission, AgentStatus::kWorking,
                   "claude/permission", 17, 2, 64},
      Output{"say \"hi\" \\ ✳\t"},
      Output{},
      Output{"ls", Speaker::kTool, true},
      Output{"go on", Speaker::kUser},
      Output{.text = "", .speaker = Speaker::kNotice, .gap = true},
      Message{"m3", MessagePhase::kQueued, ""},
      Message{"m3", MessagePhase::kSent, ""},
      Message{"m3", MessagePhase::kAccepted, "", 2},
      Message{"m3", MessagePhase::kFailed, "blocked"},
      Dialog{Cause::kPermission, "Bash", "touch out.txt", {"Yes", "No"}, "No", "policy:deny"},
      Dialog{},
      Turn{3, false},
      Turn{3, true},
      Exit{124, ExitReason::kStuck}};
  for (const Event& event : events) {
    for (const std::string& line :
         {to_json(kMs, event), with_session(to_json(kMs, event), "orch-42")}) {
      INFO(line);
      const std::optional<Record> record = parse_record(line);
      REQUIRE(record);
      CHECK(record->ms == kMs);
      const bool named = std::holds_alternative<SessionStart>(event);  // it has that name already
      if (!named || line == to_json(kMs, event)) CHECK(record->event == event);
    }
  }
}

TEST_CASE("a record of version 1 is read, whatever stands at its head") {
  const std::optional<Record> record =
      parse_record(R"({"v":1,"ms":7,"time":"2026-11-21T10:00:01.234Z","session":"orch-42",)"
                   R"("run":"20261121T100000-42-0a1b","event":"output","text":"words"})");
  REQUIRE(record);
  CHECK(record->ms == 7);
  CHECK(record->event == Event(Output{"words"}));
}

TEST_CASE("what is no whole record, or of a kind to come, is none") {
  for (const char* line :
       {"", "{", "[]", "7", R"({"ms":1})", R"({"event":"turn","n":1})", R"({"ms":1,"event":5})",
        R"({"ms":1,"event":"turn"})", R"({"ms":1,"event":"output","text":7})",
        R"({"ms":1,"event":"status","status":"dreaming"})", R"({"ms":1,"event":"crew","in":7})"}) {
    INFO(line);
    CHECK_FALSE(parse_record(line));
  }
  // A field of a later version.
  CHECK(parse_record(R"({"ms":1,"event":"turn","n":1,"crew":"red"})"));
}

TEST_CASE("text that is not UTF-8 becomes U+FFFD, controls are escaped, a record is one line") {
  CHECK(to_json(kMs, Output{"a\xFF"
                            "b\n\x1b"}) ==
        R"({"ms":1234,"event":"output","speaker":"agent","text":"a�b\n\u001b"})");
}
