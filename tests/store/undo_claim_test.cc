#include "store/undo_claim.h"

#include <catch2/catch.hpp>

#include "scratch.h"

using namespace orch::store;

TEST_CASE("while an undo is at work nobody begins in its folder, above it or below it") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  CHECK(check_no_undo(state, "/w/project").ok());
  auto claim = UndoClaim::make(state, "run-1", "/w/project");
  REQUIRE(claim.ok());
  for (const char* folder : {"/w/project", "/w/project/src", "/w", "/"}) {
    INFO(folder);
    const auto refused = check_no_undo(state, folder);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().text.find("the undo of run run-1 is at work") == 0);
    CHECK_FALSE(UndoClaim::make(state, "run-2", folder).ok());
  }
  CHECK(check_no_undo(state, "/w/project2").ok());
  CHECK_FALSE(UndoClaim::make(state, "run-1", "/elsewhere").ok());
  CHECK(UndoClaim::make(state, "run-2", "/w/project2").ok());
  claim->reset();
  CHECK(check_no_undo(state, "/w/project").ok());
  CHECK(UndoClaim::make(state, "run-1", "/w").ok());
  CHECK(exists(state + "/undos"));
}

TEST_CASE("an undo whose process is gone keeps nobody out, and one that says nothing everybody") {
  const ScratchFolder scratch;
  const std::string state = scratch.file("state");
  REQUIRE(UndoClaim::make(state, "run-1", "/w").ok());
  put_content(state + "/undos/run-1", "/w");  // nobody holds its lock
  CHECK(check_no_undo(state, "/w").ok());
  const auto claim = UndoClaim::make(state, "run-1", "/w");
  REQUIRE(claim.ok());
  put_content(state + "/undos/run-1", "");
  CHECK_FALSE(check_no_undo(state, "/elsewhere").ok());
}
