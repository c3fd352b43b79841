#include "store/event_log.h"

#include <catch2/catch.hpp>
#include <string>

#include "scratch.h"

using namespace orch::store;

TEST_CASE("each record is a whole line in the file at once") {
  const ScratchFolder folder;
  auto log = EventLog::open(folder.file("events.jsonl"));
  REQUIRE(log);
  CHECK(mode_of(folder.file("events.jsonl")) == 0600);
  REQUIRE(log->append(R"({"v":1})"));
  CHECK(content_of(folder.file("events.jsonl")) == "{\"v\":1}\n");
  REQUIRE(log->append(""));
  REQUIRE(log->append(R"({"v":2})"));
  CHECK(content_of(folder.file("events.jsonl")) == "{\"v\":1}\n\n{\"v\":2}\n");
}

TEST_CASE("opening a log again goes on where it ended") {
  const ScratchFolder folder;
  REQUIRE(EventLog::open(folder.file("log"))->append("one"));
  REQUIRE(EventLog::open(folder.file("log"))->append("two"));
  CHECK(content_of(folder.file("log")) == "one\ntwo\n");
}

TEST_CASE("a log that cannot be opened or written is an error with its path") {
  const ScratchFolder folder;
  CHECK(EventLog::open(folder.file("none/log")).error().text ==
        "create " + folder.file("none/log") + ": No such file or directory");
  auto full = EventLog::open("/dev/full");
  REQUIRE(full);
  CHECK(full->append("x").error().text == "write /dev/full: No space left on device");
}

TEST_CASE("a line that the disk took in part is cut off again") {
  const ScratchFolder folder;
  auto log = EventLog::open(folder.file("log"));
  REQUIRE(log);
  REQUIRE(log->append("first"));
  {
    const FileSizeLimit full(10);
    CHECK_FALSE(log->append("second line"));
  }
  CHECK(content_of(folder.file("log")) == "first\n");
  REQUIRE(log->append("third"));
  CHECK(content_of(folder.file("log")) == "first\nthird\n");
}

TEST_CASE("of many lines those that the disk took whole stay, and the log's size is the file's") {
  const ScratchFolder folder;
  auto log = EventLog::open(folder.file("log"));
  REQUIRE(log);
  REQUIRE(log->append("first"));
  REQUIRE(log->add("second"));
  CHECK(content_of(folder.file("log")) == "first\n");
  CHECK(log->size() == 13);
  REQUIRE(log->add("third"));
  {
    const FileSizeLimit full(16);
    CHECK_FALSE(log->flush());
  }
  CHECK(content_of(folder.file("log")) == "first\nsecond\n");
  CHECK(log->size() == 13);
  REQUIRE(log->append("fourth"));
  CHECK(content_of(folder.file("log")) == "first\nsecond\nfourth\n");
  CHECK(log->size() == 20);
}

TEST_CASE("many lines are not kept in memory without end") {
  const ScratchFolder folder;
  auto log = EventLog::open(folder.file("log"));
  REQUIRE(log);
  const std::string line(999, 'x');
  for (int i = 0; i < 100; ++i) REQUIRE(log->add(line));
  CHECK(content_of(folder.file("log")).size() > 30'000);
  CHECK(log->size() == 100'000);
}
