#include "loop/child_watch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <memory>

#include "base/fd.h"
#include "loop/loop.h"

using orch::base::Fd;
using orch::loop::ChildWatch;
using orch::loop::Loop;
using orch::loop::SignalWatch;

namespace {

// A child that ends when told to (by closing `hold`).
struct Waiter {
  Waiter() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    pid = ::fork();
    if (pid == 0) {
      ::close(ends[1]);
      char byte = 0;
      ::_exit(::read(ends[0], &byte, 1) == 0 ? 7 : 8);
    }
    ::close(ends[0]);
    hold.reset(ends[1]);
  }
  int reap() const {
    int status = 0;
    return ::waitpid(pid, &status, WNOHANG) == pid ? WEXITSTATUS(status) : -1;
  }
  pid_t pid = 0;
  Fd hold;
};

// While it lives no descriptor can be opened, and so no pidfd.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const Fd next_free(::dup(0));
    const rlimit none{static_cast<rlim_t>(next_free.get()), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("the end of a child is told once and the child is left to be reaped") {
  Loop loop;
  Waiter child;
  int told = 0;
  ChildWatch watch(loop, child.pid, [&] { ++told; });
  CHECK(loop.watches_child(child.pid));
  child.hold.reset();
  loop.run();
  CHECK(told == 1);
  CHECK(child.reap() == 7);
}

TEST_CASE("a child that ended before it was watched is told too") {
  Loop loop;
  Waiter child;
  child.hold.reset();
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT) == 0);
  bool told = false;
  ChildWatch watch(loop, child.pid, [&] { told = true; });
  loop.run();
  CHECK(told);
  CHECK(child.reap() == 7);
}

TEST_CASE("a watch may be destroyed from its own callback, and forgets the child") {
  Loop loop;
  Waiter child;
  std::unique_ptr<ChildWatch> watch;
  watch = std::make_unique<ChildWatch>(loop, child.pid, [&] { watch.reset(); });
  child.hold.reset();
  loop.run();
  CHECK(watch == nullptr);
  CHECK_FALSE(loop.watches_child(child.pid));
  CHECK(child.reap() == 7);
}

TEST_CASE("without a pidfd the end is learned from SIGCHLD") {
  Loop loop;
  const SignalWatch opens_the_signal_pipe(loop, SIGUSR1, [](int) {});
  Waiter late;  // first: a fork copies the other end of every earlier hold
  Waiter early;
  early.hold.reset();
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(early.pid), &info, WEXITED | WNOWAIT) == 0);

  std::unique_ptr<ChildWatch> early_watch;
  std::unique_ptr<ChildWatch> late_watch;
  int told = 0;
  {
    const NoMoreDescriptors none;
    early_watch = std::make_unique<ChildWatch>(loop, early.pid, [&] {
      ++told;
      CHECK(early.reap() == 7);
      late.hold.reset();
    });
    late_watch = std::make_unique<ChildWatch>(loop, late.pid, [&] {
      ++told;
      CHECK(late.reap() == 7);
    });
    loop.run();
  }
  CHECK(told == 2);
}
