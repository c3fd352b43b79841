#include "store/message_fate.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "scratch.h"

using namespace orch::store;

TEST_CASE("the events of a run tell whether its agent has taken a message") {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.file("runs/r"));
  const std::string events = scratch.file("runs/r/events.jsonl");
  const auto line = [](const char* id, const char* phase) {
    return std::string(R"({"ms":1,"event":"message","id":")") + id + R"(","phase":")" + phase +
           R"(","reason":null})" + "\n";
  };
  CHECK(was_accepted(scratch.path(), "r/m1").is_absent());  // there is no file yet
  put_content(events, line("m1", "queued") + line("m1", "sent") + line("m1", "accepted") +
                          line("m2", "queued") + line("m2", "sent") + line("m3", "queued") +
                          line("m3", "sent") + line("m3", "failed"));
  CHECK(was_accepted(scratch.path(), "r/m1").is_present());
  for (const char* message :
       {"r/m2", "r/m3", "r/m4", "r/m", "x/m1", "r", "", "/m1", "../runs/m1", "./m1"}) {
    INFO(message);
    CHECK(was_accepted(scratch.path(), message).is_absent());
  }
}
