#include "loop/fd_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "base/fd.h"
#include "loop/loop.h"

using orch::base::Fd;
using orch::loop::FdWatch;
using orch::loop::kReadable;
using orch::loop::kWritable;
using orch::loop::Loop;

namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  Fd read, write;
};

}  // namespace

TEST_CASE("a descriptor with something to read is told until it is read") {
  Loop loop;
  Pipe pipe;
  REQUIRE(::write(pipe.write.get(), "abc", 3) == 3);
  FdWatch watch(loop, pipe.read.get());
  std::string got;
  watch.start(kReadable, [&](int ready) {
    CHECK(ready == kReadable);
    char byte = 0;
    REQUIRE(::read(pipe.read.get(), &byte, 1) == 1);
    got += byte;
    if (got.size() == 3) watch.stop();
  });
  loop.run();
  CHECK(got == "abc");
  CHECK_FALSE(watch.active());
}

TEST_CASE("the far end's closing is told as readable") {
  Loop loop;
  Pipe pipe;
  pipe.write.reset();
  FdWatch watch(loop, pipe.read.get());
  ssize_t n = -1;
  watch.start(kReadable, [&](int) {
    char byte = 0;
    n = ::read(pipe.read.get(), &byte, 1);
    watch.stop();
  });
  loop.run();
  CHECK(n == 0);
}

TEST_CASE("a reader that went away is told as writable, again and again") {
  Loop loop;
  Pipe pipe;
  FdWatch watch(loop, pipe.write.get());
  pipe.read.reset();
  int told = 0;
  watch.start(kWritable, [&](int ready) {
    CHECK(ready == kWritable);
    CHECK(::write(pipe.write.get(), "x", 1) == -1);
    CHECK(errno == EPIPE);
    if (++told == 2) watch.stop();
  });
  loop.run();
  CHECK(told == 2);
}

TEST_CASE("a regular file is always ready") {
  Loop loop;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), &std::fclose);
  FdWatch watch(loop, ::fileno(file.get()));
  int told = 0;
  watch.start(kReadable | kWritable, [&](int ready) {
    CHECK(ready == (kReadable | kWritable));
    if (++told == 2) watch.stop();
  });
  CHECK(watch.active());
  loop.run();
  CHECK(told == 2);
}

TEST_CASE("watching leaves the descriptor's blocking mode as it was") {
  Loop loop;
  Pipe pipe;
  FdWatch watch(loop, pipe.read.get());
  CHECK((::fcntl(pipe.read.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a watch may be changed or destroyed from its own callback") {
  Loop loop;
  Pipe pipe;
  auto watch = std::make_unique<FdWatch>(loop, pipe.write.get());
  const std::string kept = "a capture long enough to live on the heap and be read after the end";
  std::string order;
  watch->start(kWritable, [&, kept](int) {
    order += "first ";
    watch->start(kWritable, [&, kept](int) {
      watch.reset();
      order += kept.empty() ? "lost" : "second";
    });
  });
  loop.run();
  CHECK(order == "first second");
}
