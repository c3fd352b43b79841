#include "base/fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <utility>

using orch::base::Fd;

namespace {

Fd open_null() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

TEST_CASE("an Fd closes what it owns when it goes") {
  int number = -1;
  {
    const Fd file = open_null();
    REQUIRE(file.valid());
    number = file.get();
    CHECK(is_open(number));
  }
  CHECK_FALSE(is_open(number));
}

TEST_CASE("an empty Fd is -1 and closes nothing") {
  Fd file;
  CHECK_FALSE(file.valid());
  CHECK(file.get() == -1);
  CHECK(file.release() == -1);
  CHECK(is_open(STDERR_FILENO));
}

TEST_CASE("moving an Fd empties the source and closes what the target held") {
  Fd source = open_null();
  Fd target = open_null();
  const int kept = source.get();
  const int closed = target.get();
  target = std::move(source);
  CHECK(target.get() == kept);
  CHECK_FALSE(source.valid());  // NOLINT(bugprone-use-after-move): what moving promises
  CHECK(is_open(kept));
  CHECK_FALSE(is_open(closed));

  const Fd constructed(std::move(target));
  CHECK(constructed.get() == kept);
  CHECK_FALSE(target.valid());  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("an Fd survives being moved into itself") {
  Fd file = open_null();
  Fd& alias = file;
  file = std::move(alias);
  REQUIRE(file.valid());
  CHECK(is_open(file.get()));
}

TEST_CASE("release hands the descriptor over, reset closes and takes another") {
  Fd file = open_null();
  const int released = file.release();
  CHECK_FALSE(file.valid());
  CHECK(is_open(released));
  file.reset(released);
  CHECK(file.get() == released);
  file.reset();
  CHECK_FALSE(is_open(released));
}
