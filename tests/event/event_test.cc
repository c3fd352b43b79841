#include "event/event.h"

#include <catch2/catch.hpp>
#include <string>

using namespace orch::event;

namespace {

const Stamp kReplay{1234, "", "", ""};

}  // namespace

TEST_CASE("a status record has all its fields in the documented order") {
  const Stamp stamp{1234, "2026-11-21T10:00:01.234Z", "orch-42", "20261121T100000-42-0a1b"};
  const StatusChange change{AgentStatus::kWaiting,
                            Cause::kPermission,
                            AgentStatus::kWorking,
                            "claude/permission",
                            17,
                            2,
                            64};
  CHECK(to_json(stamp, change) ==
        R"({"v":1,"ms":1234,"time":"2026-11-21T10:00:01.234Z","session":"orch-42",)"
        R"("run":"20261121T100000-42-0a1b","event":"status","status":"waiting",)"
        R"("cause":"permission","from":"working","rule":"claude/permission","row":17,)"
        R"("samples":2,"lag_ms":64})");
}

TEST_CASE("what is not known of a status is null") {
  CHECK(to_json(kReplay, StatusChange{}) ==
        R"({"v":1,"ms":1234,"event":"status","status":"starting","cause":null,"from":null,)"
        R"("rule":null,"row":null,"samples":0,"lag_ms":0})");
}

TEST_CASE("an output record carries one line") {
  CHECK(to_json(kReplay, Output{"say \"hi\" \\ ✳\t"}) ==
        R"({"v":1,"ms":1234,"event":"output","text":"say \"hi\" \\ ✳\t"})");
}

TEST_CASE("a message record says how far it came") {
  CHECK(to_json(kReplay, Message{"m3", MessagePhase::kQueued, ""}) ==
        R"({"v":1,"ms":1234,"event":"message","id":"m3","phase":"queued","reason":null})");
  CHECK(to_json(kReplay, Message{"m3", MessagePhase::kFailed, "blocked"}) ==
        R"({"v":1,"ms":1234,"event":"message","id":"m3","phase":"failed","reason":"blocked"})");
  CHECK(name(MessagePhase::kSent) == "sent");
  CHECK(name(MessagePhase::kAccepted) == "accepted");
}

TEST_CASE("a dialog record has the question, the options and who answered") {
  const Dialog dialog{Cause::kPermission, "Bash command", "touch out.txt",
                      {"Yes", "No"},      "No",           "policy:deny"};
  CHECK(to_json(kReplay, dialog) ==
        R"({"v":1,"ms":1234,"event":"dialog","cause":"permission","title":"Bash command",)"
        R"("body":"touch out.txt","options":["Yes","No"],"answer":"No","by":"policy:deny"})");
  CHECK(to_json(kReplay, Dialog{}) ==
        R"({"v":1,"ms":1234,"event":"dialog","cause":null,"title":"","body":"","options":[],)"
        R"("answer":null,"by":null})");
}

TEST_CASE("turn and exit records") {
  CHECK(to_json(kReplay, Turn{3}) == R"({"v":1,"ms":1234,"event":"turn","n":3,"phase":"began"})");
  CHECK(to_json(kReplay, Exit{124, ExitReason::kStuck}) ==
        R"({"v":1,"ms":1234,"event":"exit","code":124,"reason":"stuck"})");
}

TEST_CASE("text that is not UTF-8 becomes U+FFFD, controls are escaped, a record is one line") {
  CHECK(to_json(kReplay, Output{"a\xFF"
                                "b\n\x1b"}) ==
        R"({"v":1,"ms":1234,"event":"output","text":"a�b\n\u001b"})");
}
