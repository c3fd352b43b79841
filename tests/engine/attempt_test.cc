#include "engine/attempt.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "store/file_lock.h"
#include "store/temporary_folder.h"

using namespace orch;
using namespace orch::engine;

namespace {

struct Place {
  Place() : made(store::TemporaryFolder::make("orch-attempt-test-")) {}
  std::string artifacts() const { return made->path() + "/7"; }
  base::Result<store::TemporaryFolder> made;
};

void end(const Attempt& attempt, const std::string& reason, int code,
         const std::string& more = "") {
  std::ofstream(attempt.folder() + "/result.json")
      << R"({"reason": ")" << reason << R"(", "code": )" << code << R"(, "detail": "d", "run": "r)"
      << attempt.number() << "\"" << more << "}";
}

Attempt::Begin begin(Attempt& attempt) {
  const base::Result<Attempt::Begin> begun = attempt.begin([](const std::string&) {});
  REQUIRE(begun);
  return *begun;
}

}  // namespace

TEST_CASE("attempt: of two that end, the first to publish tells the verdict") {
  const Place place;
  int second = 0;
  {
    // The lock is lost with its process, as on a disk without locks; the first still works.
    Attempt one(place.artifacts());
    REQUIRE(begin(one) == Attempt::Begin::kRun);
    ::unlink((place.artifacts() + "/lock").c_str());
    Attempt two(place.artifacts());
    REQUIRE(begin(two) == Attempt::Begin::kRun);
    CHECK(one.number() == 1);
    CHECK(two.number() == 2);
    second = two.number();
    end(two, "complete", 0);
    end(one, "gate_failed", 20);
    CHECK(*two.publish());
    CHECK_FALSE(*one.publish());
    CHECK_FALSE(*one.publish());
  }
  const IssueFiles files = look_at(place.artifacts());
  CHECK(files.verdict == second);
  CHECK(files.result->reason == "complete");
  CHECK(files.result->run == "r2");
  Attempt late(place.artifacts());
  CHECK(begin(late) == Attempt::Begin::kTold);
}

TEST_CASE("attempt: without a result there is no verdict") {
  const Place place;
  Attempt attempt(place.artifacts());
  REQUIRE(begin(attempt) == Attempt::Begin::kRun);
  CHECK_FALSE(attempt.publish());
  std::ofstream(attempt.folder() + "/result.json") << "{";
  CHECK_FALSE(attempt.publish());
  CHECK_FALSE(look_at(place.artifacts()).verdict);
}

TEST_CASE("attempt: a result that is a link, or whose words disagree, is none") {
  const Place place;
  Attempt attempt(place.artifacts());
  REQUIRE(begin(attempt) == Attempt::Begin::kRun);
  end(attempt, "complete", 20);
  CHECK_FALSE(attempt.result());
  end(attempt, "won", 0);
  CHECK_FALSE(attempt.result());
  const std::string file = attempt.folder() + "/result.json";
  end(attempt, "complete", 0);
  CHECK(attempt.result());
  REQUIRE(::rename(file.c_str(), (place.artifacts() + "/elsewhere").c_str()) == 0);
  REQUIRE(::symlink((place.artifacts() + "/elsewhere").c_str(), file.c_str()) == 0);
  CHECK_FALSE(attempt.result());
}

TEST_CASE("attempt: one that still works is waited for, and then its verdict is taken") {
  const Place place;
  auto one = std::make_unique<Attempt>(place.artifacts());
  REQUIRE(begin(*one) == Attempt::Begin::kRun);
  std::string told;
  Attempt two(place.artifacts());
  std::thread first([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    end(*one, "complete", 0);
    (void)one->publish();
    one.reset();
  });
  const auto begun = two.begin([&told](const std::string& line) { told += line; });
  first.join();
  REQUIRE(begun);
  CHECK(*begun == Attempt::Begin::kTold);
  CHECK(told == "an earlier attempt of it still works; waiting for its end");
}

TEST_CASE("attempt: a limit's time is waited for, and SIGTERM ends the wait") {
  const Place place;
  {
    Attempt one(place.artifacts());
    REQUIRE(begin(one) == Attempt::Begin::kRun);
    end(one, "retry_later", 75, R"(, "ended": "2099-01-01T00:00:00.000Z", "retry_after_ms": 1000)");
    CHECK(look_at(place.artifacts()).limited == 1);
  }
  Attempt two(place.artifacts());
  std::thread signaller([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(::getpid(), SIGTERM);
  });
  CHECK(begin(two) == Attempt::Begin::kStopped);
  signaller.join();
}

TEST_CASE("attempt: 75 is a verdict only when no retry is left, and SIGTERM never is") {
  AttemptResult result{.reason = "retry_later", .code = 75};
  CHECK_FALSE(is_verdict(result, 0, 3));
  CHECK_FALSE(is_verdict(result, 2, 3));
  CHECK(is_verdict(result, 3, 3));
  CHECK(is_verdict(result, 0, 0));
  CHECK_FALSE(is_verdict({.reason = "terminated", .code = 143}, 9, 0));
  CHECK(is_verdict({.reason = "gate_failed", .code = 20}, 0, 3));
  CHECK(is_verdict({.reason = "killed", .code = 137}, 0, 3));
}
