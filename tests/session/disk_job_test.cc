#include "session/disk_job.h"

#include <catch2/catch.hpp>

#include "live_run.h"

using namespace orch;
using session::DiskJob;

TEST_CASE("what cannot be written is told in its place, in the room that was kept for it") {
  const session::StateDir folder;
  const std::string result = folder.parent() + "/result.json",
                    record = folder.parent() + "/run.json";
  DiskJob::Order order;
  DiskJob::Progress progress = 0;
  order.write.push_back({.path = result, .content = "complete", .has_room = true});
  order.write.push_back({.path = folder.parent() + "/missing/run.json", .content = "complete"});
  order.if_failed = [&](const base::Error& why) {
    return std::vector<DiskJob::Written>{
        {.path = result, .content = "failed: " + why.text, .has_room = true},
        {.path = record, .content = "failed", .has_room = true}};
  };
  const base::Status done = DiskJob::carry_out(order, progress);
  REQUIRE_FALSE(done.ok());
  CHECK(session::content_of(result) == "failed: " + done.error().text);
  CHECK(session::content_of(record) == "failed");
  CHECK(progress == 3);
}

TEST_CASE("what is written as it should be is told as it is") {
  const session::StateDir folder;
  DiskJob::Order order;
  DiskJob::Progress progress = 0;
  order.write.push_back({.path = folder.parent() + "/a", .content = "complete"});
  order.if_failed = [](const base::Error&) -> std::vector<DiskJob::Written> {
    FAIL("nothing has failed");
    return {};
  };
  CHECK(DiskJob::carry_out(order, progress).ok());
  CHECK(session::content_of(folder.parent() + "/a") == "complete");
}
