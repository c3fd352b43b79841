#include "store/account_limits.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "scratch.h"

using namespace orch::store;
using namespace std::chrono_literals;

namespace {

const TimePoint kNow = *parse_rfc3339_utc("2026-11-25T10:00:00.000Z");
const Account kClaude{"claude", "/home/me/.claude"};

}  // namespace

TEST_CASE("a limit is known to those of its account until it ends, or is forgotten") {
  const ScratchFolder scratch;
  std::vector<std::string> unreadable;
  const std::string state = scratch.file("state");
  CHECK(limit_of(state, kClaude, kNow).is_absent());
  CHECK(limits_now(state, kNow, unreadable).empty());
  REQUIRE(note_limit(state, {kClaude, kNow + 1h, "run-1", ""}).ok());
  const auto known = limit_of(state, kClaude, kNow);
  REQUIRE(known.is_present());
  CHECK(known->until == kNow + 1h);
  CHECK(known->run == "run-1");
  CHECK(exists(known->file));
  CHECK(limit_of(state, kClaude, kNow + 1h).is_absent());
  CHECK(limit_of(state, {"claude", "/home/me/.other"}, kNow).is_absent());
  CHECK(limit_of(state, {"codex", "/home/me/.claude"}, kNow).is_absent());
  REQUIRE(note_limit(state, {{"codex", ""}, kNow + 2h, "run-2", ""}).ok());
  CHECK(limits_now(state, kNow, unreadable).size() == 2);
  CHECK(limits_now(state, kNow + 90min, unreadable).size() == 1);
  forget_limit(state, kClaude);
  CHECK(limit_of(state, kClaude, kNow).is_absent());
}

TEST_CASE("of two limits of an account the later end holds") {
  const ScratchFolder scratch;
  const TimePoint now = std::chrono::system_clock::now();
  REQUIRE(note_limit(scratch.path(), {kClaude, now + 3h, "run-1", ""}).ok());
  REQUIRE(note_limit(scratch.path(), {kClaude, now + 1h, "run-2", ""}).ok());
  CHECK(limit_of(scratch.path(), kClaude, now)->run == "run-1");
  REQUIRE(note_limit(scratch.path(), {kClaude, now + 4h, "run-3", ""}).ok());
  CHECK(limit_of(scratch.path(), kClaude, now)->run == "run-3");
}

TEST_CASE("what cannot be read, or is further away than any limit, keeps nobody waiting") {
  const ScratchFolder scratch;
  std::vector<std::string> unreadable;
  REQUIRE(note_limit(scratch.path(), {kClaude, kNow + 24h * 30, "run-1", ""}).ok());
  CHECK(limit_of(scratch.path(), kClaude, kNow).is_absent());
  REQUIRE(note_limit(scratch.path(), {kClaude, kNow + 1h, "run-1", ""}).ok());
  const std::string file = limit_of(scratch.path(), kClaude, kNow)->file;
  for (const char* text :
       {"", "{", "[]", R"({"agent": "claude"})",
        R"({"agent":"claude","config":"/home/me/.claude","until":"soon","run":"r"})"}) {
    put_content(file, text);
    CHECK(limit_of(scratch.path(), kClaude, kNow).is_absent());
    CHECK(limits_now(scratch.path(), kNow, unreadable).empty());
  }
}

TEST_CASE("a limit is told with its moment, and nothing in it reaches the terminal") {
  const TimePoint soon = std::chrono::system_clock::now() + 1s;
  const std::string told = describe({{"cla\033ude", ""}, soon, "run\n-1", ""});
  CHECK(told.starts_with("cla"));
  CHECK(told.find('\033') == std::string::npos);
  CHECK(told.find('\n') == std::string::npos);
  CHECK(told.find(" is at its limit until ") != std::string::npos);
}
