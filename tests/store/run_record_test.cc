#include "store/run_record.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

using namespace orch::store;
using namespace orch;
using Json = nlohmann::json;

namespace {

options::RunRequest full_request() {
  options::RunRequest request;
  request.prompt = "fix\nit";
  request.agent = "claude";
  request.model = "opus";
  request.effort = "high";
  request.system_prompt_file = "be.md";
  request.until = "complete";
  request.keyword = "DONE";
  request.max_turns = 7;
  request.timeout = "1h";
  request.idle_timeout = "5m";
  request.ask_timeout = "never";
  request.on_limit = "wait";
  request.approve = "all";
  request.sandbox = "landlock";
  request.network = "443";
  request.write = {"/w"};
  request.read = {"/r"};
  request.snapshot = false;
  request.image = "debian:12";
  request.container = "orch-task-1";
  request.mounts = {"/a:/b:ro"};
  request.memory = "4g";
  request.cpus = "1.5";
  request.pids_limit = 0;
  request.verify = {"make test", "./lint"};
  request.fix_turns = 2;
  request.verify_timeout = "5m";
  request.require_changes = request.worktree = true;
  request.env = {"TOKEN"};
  request.hooks = request.record = false;
  request.trust_agent = true;
  request.record_limit = "8K";
  request.keep = "7d";
  request.session_manager = "tmux";
  request.mode = "headless";
  request.size = "80x24";
  request.agent_program = "/opt/claude";
  request.agent_flags = {"--verbose"};
  request.command = {"make", "-j2"};
  request.folder = "/src";
  request.cwd = "demo";
  request.resume = "01a207b3-34e3-7eb2-97ca-8fe0f9a4e97e";
  return request;
}

RunRecord full_record() {
  RunRecord record;
  record.id = "20261121T211048-42-0a1b";
  record.issue = "42";
  record.session = "orch-42";
  record.agent = "claude";
  record.agent_version = "2.1.197";
  record.argv = {"claude", "--model", "o\"ne"};
  record.cwd = "/src/demo";
  record.repository = "/src";
  record.manager = "native";
  record.manager_reason = "foreground";
  record.parent = "20261121T201048-42-ffff";
  record.status = RunStatus::kCompleted;
  record.started = "2026-11-21T21:10:48.123Z";
  record.keep_for_ms = 3'600'000;
  record.ended = "2026-11-21T21:11:48.123Z";
  record.agent_session = "01a207b3-34e3-7eb2-97ca-8fe0f9a4e97e";
  record.git_before = std::string(40, 'a');
  record.git_after = std::string(40, 'b');
  record.cancelled_at = "2026-11-21T21:11:40.000Z";
  record.verdict = Verdict{.reason = event::ExitReason::kTurns,
                           .code = 124,
                           .detail = "50 turns\nof 50",
                           .turns = 50,
                           .ms = 60'000,
                           .gates = {{1, "make test", 2, 1'200, true, ""}},
                           .changes = FoundChanges{"no snapshot", true, 2, {"a", "b"}},
                           .worktree = WorktreeEnd{"/w", "orch/42", true, "a is new", true},
                           .usage = event::Usage{1'200, 7, 1'000, 0.25, "stream"}};
  record.request = full_request();
  return record;
}

RunResult full_result() {
  RunResult result;
  result.gates = {{1, "make test", 2, 1'200, false, "boom"}};
  result.changes = FoundChanges{"", false, 1, {"main.cc"}};
  result.worktree = WorktreeEnd{"/w", "orch/42", false, "", false};
  result.usage = event::Usage{1'200, 7, 1'000, std::nullopt, "stream"};
  result.run = "20261121T211048-42-0a1b";
  result.session = "orch-42";
  result.issue = "42";
  result.agent = "claude";
  result.reason = event::ExitReason::kRetryLater;
  result.code = 75;
  result.agent_exit_code = 0;
  result.agent_signal = 15;
  result.status_at_end = event::AgentStatus::kError;
  result.cause = event::Cause::kRateLimit;
  result.detail = "API Error:\n429";
  result.turns = 3;
  result.messages_sent = 4;
  result.started = "2026-11-21T21:10:48.123Z";
  result.ended = "2026-11-21T21:11:48.123Z";
  result.duration_ms = 60'000;
  result.retry_after_s = 120;
  result.recording = "/state/runs/x/output.cast";
  result.invalid_bytes = 5'000'000'000;
  return result;
}

}  // namespace

TEST_CASE("a run record survives its JSON") {
  CHECK(*run_record_from_json(to_json(full_record())) == full_record());
  CHECK(*run_record_from_json(to_json(RunRecord{})) == RunRecord{});
}

TEST_CASE("a run result survives its JSON") {
  CHECK(*run_result_from_json(to_json(full_result())) == full_result());
  CHECK(*run_result_from_json(to_json(RunResult{})) == RunResult{});
}

TEST_CASE("result.json has the documented fields and words") {
  const Json json = Json::parse(to_json(full_result()));
  CHECK(json.at("reason") == "retry_later");
  CHECK(json.at("code") == 75);
  CHECK(json.at("state") == "failed");
  CHECK(json.at("status") == "exited");
  CHECK(json.at("cause").is_null());
  CHECK(json.at("last_status") == "error");
  CHECK(json.at("last_cause") == "rate_limit");
  CHECK(json.at("ms") == 60'000);
  CHECK(json.at("tokens") == 1'207);
  CHECK(json.at("gates")[0].at("ms") == 1'200);
  CHECK(json.at("retry_after_ms") == 120'000);
  CHECK(json.size() == 35);
  const Json empty = Json::parse(to_json(RunResult{}));
  CHECK(empty.size() == 35);
  for (const char* key : {"agent_exit_code", "agent_signal", "cause", "last_cause", "tokens",
                          "retry_after_ms", "recording"}) {
    INFO(key);
    CHECK(empty.at(key).is_null());
  }
}

TEST_CASE("a result.json with the names of earlier versions is read") {
  Json json = Json::parse(to_json(full_result()));
  for (const char* derived : {"state", "status", "cause", "tokens"}) json.erase(derived);
  for (const auto& [now, before] : {std::pair{"ms", "duration_ms"},
                                    {"last_status", "status_at_end"},
                                    {"last_cause", "cause"}}) {
    json[before] = json[now];
    json.erase(now);
  }
  json["retry_after"] = 120;
  json.erase("retry_after_ms");
  json["gates"][0]["duration_ms"] = json["gates"][0]["ms"];
  json["gates"][0].erase("ms");
  CHECK(*run_result_from_json(json.dump()) == full_result());
}

TEST_CASE("run.json has the documented fields, and ends in a line feed") {
  const std::string text = to_json(full_record());
  CHECK(text.ends_with("}\n"));
  const Json json = Json::parse(text);
  CHECK(json.at("status") == "completed");
  CHECK(json.at("argv") == Json{"claude", "--model", "o\"ne"});
  CHECK(json.size() == 24);
  CHECK(Json::parse(to_json(RunRecord{})).at("parent").is_null());
}

TEST_CASE("every run status has a name that leads back to it") {
  for (const auto status : {RunStatus::kStarting, RunStatus::kRunning, RunStatus::kCompleted,
                            RunStatus::kFailed, RunStatus::kCancelled}) {
    CHECK(run_status_named(name(status)) == status);
  }
  CHECK(name(RunStatus::kCancelled) == "cancelled");
  CHECK_FALSE(run_status_named("done"));
}

TEST_CASE("text that is not UTF-8 is written as U+FFFD") {
  RunRecord record = full_record();
  record.manager_reason = "a\xFF";
  CHECK(run_record_from_json(to_json(record))->manager_reason == "a�");
}

TEST_CASE("a folder whose path is not UTF-8 survives") {
  RunRecord record = full_record();
  record.cwd = record.repository = "/a\xFF";
  record.request.emplace().cwd = "/a\xFF";
  record.request->folder = "/b\xFF";
  CHECK(*run_record_from_json(to_json(record)) == record);
}

TEST_CASE("fields of a later version are ignored") {
  Json json = Json::parse(to_json(full_record()));
  json["colour"] = {{"deep", {1, 2}}};
  CHECK(*run_record_from_json(json.dump()) == full_record());
}

TEST_CASE("a field that is missing or of the wrong type is an error that names it") {
  struct Case {
    const char* key;
    Json value;
  };
  const Case cases[] = {
      {"id", nullptr},    {"issue", 42},        {"argv", "claude"},        {"argv", {1}},
      {"status", "done"}, {"agent_version", 2}, {"parent", Json::array()}, {"started", false}};
  for (const Case& wrong : cases) {
    INFO(wrong.key);
    Json json = Json::parse(to_json(full_record()));
    json[wrong.key] = wrong.value;
    const auto record = run_record_from_json(json.dump());
    REQUIRE_FALSE(record);
    CHECK(record.error().text.find(wrong.key) != std::string::npos);
    if (!wrong.value.is_null()) continue;
    json.erase(wrong.key);
    CHECK_FALSE(run_record_from_json(json.dump()));
  }
  for (const char* key : {"code", "reason", "last_cause", "ms", "agent_signal"}) {
    INFO(key);
    Json json = Json::parse(to_json(full_result()));
    json[key] = 1e300;
    CHECK(run_result_from_json(json.dump()).error().text.find(key) != std::string::npos);
  }
}

TEST_CASE("numbers that do not fit are an error, not another number") {
  Json json = Json::parse(to_json(full_result()));
  json["code"] = 4'294'967'296;
  CHECK_FALSE(run_result_from_json(json.dump()));
  json["code"] = 0;
  json["ms"] = 18'446'744'073'709'551'615U;
  CHECK_FALSE(run_result_from_json(json.dump()));
}

TEST_CASE("what is not a JSON object is one clear error") {
  for (const char* text : {"", "{", "{\"id\":"}) {
    INFO(text);
    CHECK(run_record_from_json(text).error().text == "run record: not valid JSON");
  }
  for (const char* text : {"null", "[]"}) {
    INFO(text);
    CHECK(run_record_from_json(text).error().text == "run record: must be an object");
  }
}

TEST_CASE("a record of before there were requests can still be read") {
  Json json = Json::parse(to_json(full_record()));
  for (const char* name :
       {"request", "verdict", "agent_session", "git_before", "git_after", "cancelled_at"}) {
    json.erase(name);
  }
  const auto record = run_record_from_json(json.dump());
  REQUIRE(record);
  CHECK_FALSE(record->request);
  CHECK_FALSE(record->verdict);
}

TEST_CASE("a record of a later format is refused, and told as far as it is known") {
  Json json = Json::parse(to_json(full_record()));
  CHECK(json.at("format") == kRunRecordFormat);
  json["format"] = kRunRecordFormat + 1;
  const auto later = run_record_from_json(json.dump());
  REQUIRE_FALSE(later.ok());
  CHECK(later.error().text == "run record: format: is a later orch's");
  json["repository"] = 7;
  const PartOfRecord part = part_of_run_record(json.dump());
  CHECK(part.format == kRunRecordFormat + 1);
  CHECK(part.record.id == full_record().id);
  CHECK(part.record.cwd == full_record().cwd);
  CHECK(part.record.repository.empty());
  for (const char* text : {"", "[]", "{\"id\": ", "7"}) {
    CHECK(part_of_run_record(text).record == RunRecord());
  }
  json.erase("format");  // earlier versions of orch did not write it
  json["repository"] = "/src";
  CHECK(run_record_from_json(json.dump()).ok());
}

TEST_CASE("a record that is concluded says how its run ended, and when somebody asked for that") {
  RunRecord record;
  RunResult result = full_result();
  result.cancelled_at = "2026-11-21T21:11:47.000Z";
  conclude(record, result);
  CHECK(record.status == RunStatus::kFailed);
  CHECK(record.ended == result.ended);
  REQUIRE(record.verdict);
  CHECK(record.verdict->reason == result.reason);
  CHECK(record.verdict->code == 75);
  CHECK(record.verdict->detail == "API Error:\n429");
  CHECK(record.verdict->turns == 3);
  REQUIRE(record.verdict->gates.size() == 1);
  CHECK(record.verdict->gates[0].output.empty());  // it is in result.json
  CHECK(record.verdict->changes == result.changes);
  CHECK_FALSE(record.cancelled_at);  // the run failed before the request could end it
  result.reason = event::ExitReason::kKilled;
  conclude(record, result);
  CHECK(record.status == RunStatus::kCancelled);
  CHECK(record.cancelled_at == result.cancelled_at);
}
