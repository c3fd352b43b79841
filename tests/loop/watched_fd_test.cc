#include "loop/watched_fd.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "base/fd.h"
#include "loop/loop.h"

using orch::base::Fd;
using orch::loop::kReadable;
using orch::loop::kWritable;
using orch::loop::Loop;
using orch::loop::WatchedFd;

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
  WatchedFd watch(loop, std::move(pipe.read));
  std::string got;
  watch.start(kReadable, [&](int ready) {
    CHECK(ready == kReadable);
    char byte = 0;
    REQUIRE(::read(watch.get(), &byte, 1) == 1);
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
  WatchedFd watch(loop, std::move(pipe.read));
  ssize_t n = -1;
  watch.start(kReadable, [&](int) {
    char byte = 0;
    n = ::read(watch.get(), &byte, 1);
    watch.stop();
  });
  loop.run();
  CHECK(n == 0);
}

TEST_CASE("a reader that went away is told as writable, again and again") {
  Loop loop;
  Pipe pipe;
  WatchedFd watch(loop, std::move(pipe.write));
  pipe.read.reset();
  int told = 0;
  watch.start(kWritable, [&](int ready) {
    CHECK(ready == kWritable);
    CHECK(::write(watch.get(), "x", 1) == -1);
    CHECK(errno == EPIPE);
    if (++told == 2) watch.stop();
  });
  loop.run();
  CHECK(told == 2);
}

TEST_CASE("a regular file is always ready") {
  Loop loop;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), &std::fclose);
  WatchedFd watch(loop, WatchedFd::share(::fileno(file.get())));
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
  WatchedFd watch(loop, std::move(pipe.read));
  CHECK((::fcntl(watch.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a watch may be changed or destroyed from its own callback") {
  Loop loop;
  Pipe pipe;
  auto watch = std::make_unique<WatchedFd>(loop, std::move(pipe.write));
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

TEST_CASE("what is closed takes nobody else's number out of the loop") {
  Loop loop;
  auto first = std::make_unique<Pipe>();
  const int number = first->read.get();
  WatchedFd ended(loop, std::move(first->read));
  ended.start(kReadable, [](int) {});
  ended.stop();
  ended.close();
  CHECK_FALSE(ended.valid());

  Pipe second;  // gets the free number
  REQUIRE(second.read.get() == number);
  auto other = std::make_unique<WatchedFd>(loop, std::move(second.read));
  int told = 0;
  other->start(kReadable, [&](int) {
    if (++told == 2) other->stop();
    if (told == 1) ended.close();  // close() for the second time
  });
  REQUIRE(::write(second.write.get(), "x", 1) == 1);
  loop.run();
  CHECK(told == 2);
}

TEST_CASE("a shared descriptor is watched by a number of our own, and stays open") {
  Loop loop;
  Pipe pipe;
  {
    WatchedFd watch(loop, WatchedFd::share(pipe.write.get()));
    CHECK(watch.get() != pipe.write.get());
    watch.start(kWritable, [&](int) { watch.stop(); });
    loop.run();
  }
  CHECK(::write(pipe.write.get(), "x", 1) == 1);
}

#ifndef NDEBUG
TEST_CASE("a descriptor that somebody else closed stops the program") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);  // its error message is expected
    Loop loop;
    Pipe pipe;
    WatchedFd watch(loop, std::move(pipe.read));
    watch.start(kReadable, [](int) {});
    ::close(watch.get());
    const Pipe other;
    watch.stop();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
}
#endif
