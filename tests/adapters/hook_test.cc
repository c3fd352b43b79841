#include "adapters/hook.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"

namespace orch::adapters {

TEST_CASE("A hook's input is told by its name and what it is about") {
  CHECK(notice_of(R"({"hook_event_name":"Stop","session_id":"x","cwd":"/"})") == "hook Stop");
  CHECK(
      notice_of(R"({"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{}})") ==
      "hook PermissionRequest Bash");
  CHECK(notice_of(R"({"hook_event_name":"StopFailure","error":"server_error"})") ==
        "hook StopFailure server_error");
  CHECK(notice_of(R"({"hook_event_name":"Notification","notification_type":"idle_prompt"})") ==
        "hook Notification idle_prompt");
}

TEST_CASE("A notify argument is told by its type and the first message") {
  CHECK(notice_of(R"({"type":"agent-turn-complete","input-messages":["fix it","now"]})") ==
        "notify agent-turn-complete fix it");
  CHECK(notice_of(R"({"type":"agent-turn-complete"})") == "notify agent-turn-complete");
}

TEST_CASE("What is neither is told by nothing") {
  for (const char* json : {"", "no json", "[]", "3", "{}", R"({"type":7})",
                           R"({"hook_event_name":null})", "{\"type\":\"\xff\"}"}) {
    CAPTURE(json);
    CHECK(notice_of(json).empty());
  }
}

TEST_CASE("A notice is one printable line that fits a pipe") {
  CHECK(notice_of(R"({"type":"a\nb\u001b[2J"})") ==
        "notify a\xef\xbf\xbd"
        "b\xef\xbf\xbd[2J");
  std::string umlauts = "n";
  for (int i = 0; i < 2000; ++i) umlauts += "ü";
  const std::string notice = notice_of(R"({"type":"t","input-messages":[")" + umlauts + "\"]}");
  CHECK(notice.size() >= kMaxNoticeBytes - 4);
  CHECK(notice.size() < kMaxNoticeBytes);
  CHECK(notice.ends_with("ü"));
}

}  // namespace orch::adapters
