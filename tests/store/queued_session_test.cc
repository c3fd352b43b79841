#include "store/queued_session.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "scratch.h"

using namespace orch::store;

namespace {

SessionRecord waiting() {
  SessionRecord record;
  record.key = session_key("7", "/project");
  record.name = "orch-7";
  record.issue = "7";
  record.manager = "native";
  record.status = SessionStatus::kQueued;
  record.repository = record.cwd = "/project";
  record.host = orch::pty::own_identity();
  return record;
}

}  // namespace

TEST_CASE("a session waits until somebody takes it out of the queue") {
  const ScratchFolder scratch;
  const std::string key = waiting().key;
  REQUIRE(queue_session(scratch.path(), waiting()));
  CHECK(waits_for_us(scratch.path(), key).is_present());
  CHECK_FALSE(queue_session(scratch.path(), waiting()));
  CHECK(unqueue_session(scratch.path(), key).is_present());
  CHECK(waits_for_us(scratch.path(), key).is_absent());
  CHECK(unqueue_session(scratch.path(), key).is_absent());
}

TEST_CASE("a session whose file cannot be read was not taken out of the queue") {
  const ScratchFolder scratch;
  const std::string key = waiting().key;
  REQUIRE(queue_session(scratch.path(), waiting()));
  const std::string file = session_paths(scratch.path(), key).record;
  REQUIRE(::unlink(file.c_str()) == 0);
  REQUIRE(::symlink(file.c_str(), file.c_str()) == 0);  // ELOOP, for root as well
  const Presence waits = waits_for_us(scratch.path(), key);
  REQUIRE(waits.is_unknown());
  CHECK(waits.error().text.find(file) != std::string::npos);
  CHECK(unqueue_session(scratch.path(), key).is_unknown());
  CHECK_FALSE(queue_session(scratch.path(), waiting()));
  forget_queued(scratch.path(), key);
  CHECK(SessionFile::claim(scratch.path(), key).error().text.find(file) != std::string::npos);
  CHECK(::unlink(file.c_str()) == 0);  // it is still there
}
