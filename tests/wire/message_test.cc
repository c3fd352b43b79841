#include "wire/message.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace orch::wire;
using orch::agent::DialogChoice;
using orch::event::AgentStatus;
using orch::event::Cause;

namespace {

Request request_in(std::string_view json) {
  const auto read = read_request(json);
  REQUIRE(read.ok());
  REQUIRE(std::holds_alternative<Request>(*read));
  return std::get<Request>(*read);
}

Answer refused(std::string_view json) {
  const auto read = read_request(json);
  REQUIRE(read.ok());
  REQUIRE(std::holds_alternative<Answer>(*read));
  return std::get<Answer>(*read);
}

StatusReport report() {
  StatusReport report;
  report.session = "orch-42";
  report.issue = "42";
  report.agent = "claude";
  report.run = "20261121T225100-42-0a1b";
  report.run_dir = "/state/runs/20261121T225100-42-0a1b";
  report.repository = "/home/me/\"quoted\" project";
  report.status = AgentStatus::kWaiting;
  report.cause = Cause::kPermission;
  report.since_ms = 61'000;
  report.ms = 65'432;
  report.turns = 3;
  report.pending = 1;
  report.pid = 4711;
  report.dialog = DialogReport{.id = "d2",
                               .kind = Cause::kPermission,
                               .title = "Bash command",
                               .text = "Do you want to proceed?",
                               .command = "touch a",
                               .complete = true,
                               .options = {{1, "Yes", "allow once"}, {2, "No", "deny"}}};
  report.last_words = "I shall touch a";
  report.words_ms = 60'000;
  report.cols = 120;
  report.rows = 40;
  report.viewers = 2;
  report.usage =
      orch::event::Usage{.in = 1200, .out = 7, .cached = 200, .cost_usd = 0.5, .source = "record"};
  report.budget = BudgetReport{.tokens = 50'000, .cost_usd = 2.5, .ms = 3'600'000};
  report.retry_after_ms = 120'000;
  return report;
}

}  // namespace

TEST_CASE("requests are written as the protocol says and read back") {
  CHECK(to_json(Request{1, AskStatus{}}) == R"({"v":1,"id":1,"verb":"status"})");
  CHECK(to_json(Request{2, Subscribe{.events = true, .raw = false}}) ==
        R"({"v":1,"id":2,"verb":"subscribe","events":true,"raw":false})");
  CHECK(to_json(Request{3, Kill{.now = true}}) == R"({"v":1,"id":3,"verb":"kill","now":true})");
  CHECK(to_json(Request{4, Send{.text = "a\n\"b\"", .until_idle = true, .timeout_ms = 500}}) ==
        R"({"v":1,"id":4,"verb":"send","text":"a\n\"b\"","as_command":false,)"
        R"("until_idle":true,"timeout_ms":500})");
  CHECK(to_json(Request{5, Reset{}, "run-a"}) == R"({"v":1,"id":5,"verb":"reset","run":"run-a"})");
  CHECK(
      to_json(Request{6, AnswerDialog{"d2", {DialogChoice::Kind::kYes, 0, ""}}}) ==
      R"({"v":1,"id":6,"verb":"answer","dialog":"d2","choice":"yes","number":0,"text":"","also":[]})");
  for (const Request& request :
       {Request{1, AskStatus{}}, Request{2, Kill{}, "run-a"}, Request{7, Subscribe{false, true}},
        Request{9, Kill{}}, Request{11, Keys{{"Escape", "C-c"}}},
        Request{12, Send{"日本語", true, true, 1}},
        Request{13, AnswerDialog{"d2", {DialogChoice::Kind::kNumber, 3, ""}}},
        Request{13, AnswerDialog{"d2",
                                 {DialogChoice::Kind::kNumber, 3, ""},
                                 {{DialogChoice::Kind::kText, 0, "Blue"}}}},
        Request{15, CheckCall{R"({"hook_event_name":"PreToolUse"})"}},
        Request{14, AnswerDialog{"", {DialogChoice::Kind::kText, 0, "日本語"}}, "run-a"}}) {
    CHECK(request_in(to_json(request)) == request);
  }
}

TEST_CASE("what became of a message is written and read back") {
  const Sent accepted{.message = "m3",
                      .result = "accepted",
                      .reason = "",
                      .enters = 1,
                      .status = orch::event::AgentStatus::kWorking,
                      .cause = orch::event::Cause::kNone,
                      .screen = ""};
  CHECK(to_json(Answer{8, accepted}) ==
        R"({"id":8,"ok":true,"message":"m3","result":"accepted","reason":null,"enters":1,)"
        R"("status":"working","cause":null,"screen":null})");
  Sent blocked = accepted;
  blocked.result = "blocked";
  blocked.reason = "the input box holds a draft";
  blocked.screen = "» draft\n";
  for (const Sent& sent : {accepted, blocked}) {
    const orch::base::Result<Answer> read = read_answer(to_json(Answer{8, sent}));
    REQUIRE(read.ok());
    CHECK(*read == Answer{8, sent});
  }
}

TEST_CASE("the decision about a call is written and read back") {
  CHECK(to_json(Answer{9, CallAnswer{"{\"decision\":\"deny\"}"}}) ==
        R"({"id":9,"ok":true,"print":"{\"decision\":\"deny\"}"})");
  for (const char* text : {"", "no"}) {
    const orch::base::Result<Answer> read = read_answer(to_json(Answer{9, CallAnswer{text}}));
    REQUIRE(read.ok());
    CHECK(*read == Answer{9, CallAnswer{text}});
  }
}

TEST_CASE("what a request does not say is no, and what we do not know is ignored") {
  CHECK(request_in(R"({"v":1,"id":5,"verb":"subscribe","colour":"red"})") ==
        Request{5, Subscribe{}});
  CHECK(request_in(R"({"v":1,"id":6,"verb":"kill","now":null})") == Request{6, Kill{}});
}

TEST_CASE("a request that cannot be served is refused under its id") {
  CHECK(refused(R"({"v":1,"id":4,"verb":"dance"})") ==
        Answer{4, Refusal{RefusalCode::kUnknownVerb, "unknown verb 'dance'"}});
  CHECK(refused(R"({"v":2,"id":4,"verb":"status"})") ==
        Answer{4, Refusal{RefusalCode::kVersion,
                          "this session speaks version 1 of the protocol, not 2"}});
  CHECK(refused(R"({"id":4,"verb":"status"})") ==
        Answer{4, Refusal{RefusalCode::kUsage, "v: is missing"}});
  CHECK(refused(R"({"v":1,"id":4})") ==
        Answer{4, Refusal{RefusalCode::kUsage, "verb: is missing"}});
  CHECK(refused(R"({"v":1,"id":4,"verb":"answer","choice":"perhaps"})") ==
        Answer{4, Refusal{RefusalCode::kUsage, "choice: \"perhaps\" is not a known word"}});
  CHECK(refused(R"({"v":1,"id":4,"verb":"answer"})").id == 4);
  CHECK(refused(R"({"v":1,"id":4,"verb":"kill","now":1})") ==
        Answer{4, Refusal{RefusalCode::kUsage, "now: must be true or false"}});
  CHECK(refused("{\"v\":1,\"id\":4,\"verb\":\"\\u001b[2J\"}") ==
        Answer{4, Refusal{RefusalCode::kUnknownVerb, "unknown verb '\xef\xbf\xbd[2J'"}});
}

TEST_CASE("a request without an id is an error") {
  for (const std::string_view json :
       {R"({"v":1,"verb":"status"})", R"({"v":1,"id":"1","verb":"status"})",
        R"({"v":1,"id":-1,"verb":"status"})", R"({"v":1,"id":1.5,"verb":"status"})",
        R"({"v":1,"id":18446744073709551615,"verb":"status"})", "[]", "1", "nonsense", ""}) {
    CAPTURE(json);
    CHECK_FALSE(read_request(json).ok());
  }
}

TEST_CASE("nesting is bounded") {
  std::string deep = R"({"v":1,"id":1,"verb":"status","x":)";
  const auto nested = [&deep](size_t depth) {
    return deep + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  CHECK(read_request(nested(30)).ok());
  CHECK_FALSE(read_request(nested(100)).ok());
  CHECK_FALSE(read_request(nested(400'000)).ok());
}

TEST_CASE("answers are written as the protocol says and read back") {
  CHECK(to_json(Answer{3, Done{}}) == R"({"id":3,"ok":true})");
  CHECK(to_json(Answer{3, Subscribed{123}}) == R"({"id":3,"ok":true,"events_offset":123})");
  CHECK(to_json(Answer{3, Refusal{RefusalCode::kUsage, "no"}}) ==
        R"({"id":3,"ok":false,"error":"no","code":"usage"})");
  for (const Answer& answer :
       {Answer{1, Done{}}, Answer{2, Subscribed{0}}, Answer{2, Subscribed{UINT64_MAX}},
        Answer{3, report()}, Answer{4, StatusReport{}},
        Answer{0, Refusal{RefusalCode::kBusy, "busy"}}}) {
    const auto read = read_answer(to_json(answer));
    REQUIRE(read.ok());
    CHECK(*read == answer);
  }
}

TEST_CASE("a status answer has every field that is promised") {
  const auto json = nlohmann::json::parse(to_json(Answer{3, report()}));
  CHECK(json == nlohmann::json::parse(R"({"id":3,"ok":true,"session":"orch-42","issue":"42",
    "agent":"claude","run":"20261121T225100-42-0a1b","status":"waiting","cause":"permission",
    "run_dir":"/state/runs/20261121T225100-42-0a1b","repository":"/home/me/\"quoted\" project",
    "since_ms":61000,"ms":65432,"turns":3,"pending":1,"pid":4711,
    "dialog":{"id":"d2","kind":"permission","title":"Bash command",
      "text":"Do you want to proceed?","command":"touch a","body":null,"complete":true,"shortened":false,
      "options":[{"number":1,"text":"Yes","meaning":"allow once","description":null,"ticked":null},
                 {"number":2,"text":"No","meaning":"deny","description":null,"ticked":null}]},
    "last_words":"I shall touch a","words_ms":60000,"cols":120,"rows":40,"viewers":2,
    "manager":"native",
    "usage":{"in":1200,"out":7,"cached":200,"cost_usd":0.5,"source":"record"},
    "budget":{"tokens":50000,"cost_usd":2.5,"ms":3600000},
    "retry_after_ms":120000})"));
  StatusReport calm = report();
  calm.status = AgentStatus::kIdle;
  calm.cause = Cause::kNone;
  calm.dialog.reset();
  CHECK(nlohmann::json::parse(to_json(Answer{3, calm}))["dialog"].is_null());
  CHECK(nlohmann::json::parse(to_json(Answer{3, calm}))["cause"].is_null());
}

TEST_CASE("a host that is older says less of its session") {
  auto json = nlohmann::json::parse(to_json(Answer{3, report()}));
  for (const char* newer : {"dialog", "last_words", "words_ms", "cols", "rows", "viewers",
                            "manager", "usage", "budget", "retry_after_ms"}) {
    json.erase(newer);
  }
  StatusReport expected = report();
  expected.dialog.reset();
  expected.last_words.clear();
  expected.usage.reset();
  expected.budget = {};
  expected.retry_after_ms.reset();
  expected.words_ms = expected.cols = expected.rows = expected.viewers = 0;
  const auto read = read_answer(json.dump());
  REQUIRE(read.ok());
  CHECK(*read == Answer{3, expected});
}

TEST_CASE("a dialog of the wrong shape is an error that names the member") {
  const auto error = [](const auto& change) {
    auto json = nlohmann::json::parse(to_json(Answer{3, report()}));
    change(json["dialog"]);
    return read_answer(json.dump()).error().text;
  };
  CHECK(error([](auto& dialog) { dialog["id"] = 2; }) == "dialog.id: must be a string");
  CHECK(error([](auto& dialog) { dialog["kind"] = "whim"; }) ==
        "dialog.kind: \"whim\" is not a known word");
  CHECK(error([](auto& dialog) { dialog["options"] = "Yes"; }) ==
        "dialog.options: must be an array");
  CHECK(error([](auto& dialog) { dialog["options"][1]["number"] = -1; }) ==
        "dialog.options[1].number: must be a whole number from 0 to 2147483647");
}

TEST_CASE("an answer of the wrong shape is an error that names the member") {
  const auto error = [](std::string_view json) { return read_answer(json).error().text; };
  CHECK(error(R"({"ok":true})") == "id: is missing");
  CHECK(error(R"({"id":1})") == "ok: is missing");
  CHECK(error(R"({"id":1,"ok":false})") == "error: is missing");
  CHECK(error(R"({"id":1,"ok":true,"events_offset":-5})") ==
        "events_offset: must be a whole number from 0 to 18446744073709551615");
  CHECK(error(R"({"id":1,"ok":true,"session":"s"})") == "run: is missing");
  auto json = nlohmann::json::parse(to_json(Answer{3, report()}));
  json["status"] = "dreaming";
  CHECK(error(json.dump()) == "status: \"dreaming\" is not a known word");
  json["status"] = "idle";
  json["turns"] = 1LL << 40;
  CHECK(error(json.dump()) == "turns: must be a whole number from 0 to 2147483647");
}

TEST_CASE("a refusal may have a code that we do not know, or none") {
  const auto code = [](std::string_view json) {
    return std::get<Refusal>(read_answer(json)->result).code;
  };
  CHECK(code(R"({"id":1,"ok":false,"error":"x","code":"moon_phase"})") == RefusalCode::kOther);
  CHECK(code(R"({"id":1,"ok":false,"error":"x"})") == RefusalCode::kOther);
}

TEST_CASE("lagged is read back") {
  const Lagged lagged{.events_from = 17, .events_offset = 1'234'567'890'123, .dropped_bytes = 5};
  CHECK(to_json(lagged) == R"({"events_from":17,"events_offset":1234567890123,"dropped_bytes":5})");
  CHECK(*read_lagged(to_json(lagged)) == lagged);
  CHECK_FALSE(read_lagged(R"({"events_from":0,"events_offset":1})").ok());
  CHECK_FALSE(read_lagged(R"({"events_from":2,"events_offset":1,"dropped_bytes":0})").ok());
}
