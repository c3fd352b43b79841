// What the files of a run say once its dead host's guardian has put them in order, wherever the
// host was when it died.
#include "store/abandoned_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "scratch.h"
#include "store/run_record.h"

using namespace orch::store;
using orch::base::Status;
using orch::event::ExitReason;

namespace {

const TimePoint kWhenFound{std::chrono::seconds(1795295448)};  // 2026-11-21T21:10:48Z

RunRecord begun_record() {
  RunRecord record;
  record.id = "20261121T211040000-7-0a1b";
  record.issue = "7";
  record.session = "orch-7";
  record.agent = "demo";
  record.argv = {"demo"};
  record.cwd = record.repository = "/work";
  record.manager = "native";
  record.status = RunStatus::kRunning;
  record.started = "2026-11-21T21:10:40.000Z";
  return record;
}

struct Left {
  ScratchFolder scratch;
  std::string folder = scratch.file(begun_record().id);

  Left() {
    ::mkdir(folder.c_str(), 0700);
    put_content(folder + "/run.json", to_json(begun_record()));
  }
  RunRecord written() const { return *run_record_from_json(content_of(folder + "/run.json")); }
};

}  // namespace

TEST_CASE("a host that died before its verdict leaves a run that ended with orch") {
  const Left left;
  put_content(left.folder + "/mcp.json", "{}");
  REQUIRE(close_abandoned_run(left.folder, kWhenFound));
  CHECK_FALSE(std::filesystem::exists(left.folder + "/mcp.json"));
  const RunRecord record = left.written();
  CHECK(record.status != RunStatus::kRunning);
  REQUIRE(record.verdict);
  CHECK(record.verdict->reason == ExitReason::kInternal);
  CHECK(run_result_from_json(content_of(left.folder + "/result.json"))->reason ==
        ExitReason::kInternal);
}

TEST_CASE("a host that died between its result and its record leaves both") {
  const Left left;
  RunResult result;
  result.run = begun_record().id;
  result.issue = "7";
  result.session = "orch-7";
  result.agent = "demo";
  result.reason = ExitReason::kComplete;
  result.started = begun_record().started;
  result.ended = "2026-11-21T21:10:47.000Z";
  put_content(left.folder + "/result.json", to_json(result));
  put_content(left.folder + "/run.json.a1b2c3", "{");  // it was writing it
  REQUIRE(close_abandoned_run(left.folder, kWhenFound));
  const RunRecord record = left.written();
  CHECK(record.status == RunStatus::kCompleted);
  CHECK(record.ended == result.ended);
  REQUIRE(record.verdict);
  CHECK(record.verdict->reason == ExitReason::kComplete);
  CHECK_FALSE(exists(left.folder + "/run.json.a1b2c3"));
}

TEST_CASE("a run that has ended is left as it is, and so is a record that cannot be read") {
  const Left left;
  RunRecord record = begun_record();
  record.status = RunStatus::kFailed;
  record.ended = "2026-11-21T21:10:47.000Z";
  for (const std::string& text : {to_json(record), std::string("{\"format\": 9}")}) {
    put_content(left.folder + "/run.json", text);
    CHECK(close_abandoned_run(left.folder, kWhenFound).ok() == (text == to_json(record)));
    CHECK(content_of(left.folder + "/run.json") == text);
    CHECK_FALSE(exists(left.folder + "/result.json"));
  }
}

TEST_CASE("a run whose files cannot be read is not closed, and nothing of it is cut or removed") {
  const Left left;
  const std::string events = left.folder + "/events.jsonl", room = left.folder + "/run.json.a1b2c3";
  put_content(events, "{\"event\":\"status\"}\n{\"event\":\"out");
  put_content(room, "{");
  std::string lost = events;
  SECTION("its events") {}
  SECTION("its record") { lost = left.folder + "/run.json"; }
  SECTION("its result") { lost = left.folder + "/result.json"; }
  const std::string kept = lost + ".kept";
  if (exists(lost)) REQUIRE(::rename(lost.c_str(), kept.c_str()) == 0);
  REQUIRE(::symlink(lost.c_str(), lost.c_str()) == 0);  // ELOOP, for root as well
  const Status closed = close_abandoned_run(left.folder, kWhenFound);
  REQUIRE_FALSE(closed.ok());
  CHECK(closed.error().text.find(lost) != std::string::npos);
  CHECK(exists(room));
  if (lost != events) CHECK(content_of(events).ends_with("out"));
  if (lost != left.folder + "/run.json") CHECK(left.written().status == RunStatus::kRunning);
  // Read at last, the run is closed.
  REQUIRE(::unlink(lost.c_str()) == 0);
  if (exists(kept)) REQUIRE(::rename(kept.c_str(), lost.c_str()) == 0);
  REQUIRE(close_abandoned_run(left.folder, kWhenFound));
  CHECK(left.written().ended);
  CHECK(content_of(events).starts_with("{\"event\":\"status\"}\n{"));
  CHECK(content_of(events).find("\"event\":\"exit\"") != std::string::npos);
}

TEST_CASE("a result that is damaged is kept, and the run is not closed without it") {
  const Left left;
  put_content(left.folder + "/result.json", "{\"run\":");
  const Status closed = close_abandoned_run(left.folder, kWhenFound);
  REQUIRE_FALSE(closed.ok());
  CHECK(closed.error().text.find("/result.json") != std::string::npos);
  CHECK(content_of(left.folder + "/result.json") == "{\"run\":");
}
