#include "loop/child_watch.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/log.h"
#include "loop/children.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "tracer.h"

using orch::base::Fd;
using orch::loop::ChildWatch;
using orch::loop::Loop;
using orch::loop::SignalWatch;
using orch::loop::Timer;
using orch::tests::Tracer;

namespace {

// A child that ends when the test says so, by closing `hold`.
struct Waiter {
  Waiter() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
      ::close(ends[1]);
      char byte = 0;
      ::_exit(::read(ends[0], &byte, 1) == 0 ? 7 : 8);
    }
    ::close(ends[0]);
    hold.reset(ends[1]);
  }
  void end() {
    hold.reset();
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
  }
  int reap() const {
    int status = 0;
    return ::waitpid(pid, &status, WNOHANG) == pid ? WEXITSTATUS(status) : -1;
  }
  pid_t pid = 0;
  Fd hold;
};

// While it exists, no descriptor can be opened, and so no pidfd.
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

// Collects the errors that are logged while it exists.
class Errors {
 public:
  Errors() {
    orch::base::set_log_sink([this](const orch::base::LogLine& line) {
      if (line.level == orch::base::LogLevel::kError) all.emplace_back(line.text);
    });
  }
  ~Errors() { orch::base::set_log_sink(nullptr); }
  std::vector<std::string> all;
};

int64_t cpu_ms() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * 1000 + used.tv_nsec / 1'000'000;
}

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
  Waiter late;  // forked first: a fork copies the `hold` of every earlier child
  Waiter early;
  early.end();

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

TEST_CASE("an end that no descriptor tells of is told by the second witness, with an error") {
  const Errors errors;
  Loop loop;
  Waiter child;
  const int pidfd = Fd(::dup(0)).get();  // the next free number, which the watch will get
  int told = 0;
  ChildWatch watch(loop, child.pid, [&] { ++told; });
  Timer lose(loop);
  lose.start(1, [&] {  // after the loop has begun to wait for the child
    REQUIRE(::epoll_ctl(uv_backend_fd(loop.uv()), EPOLL_CTL_DEL, pidfd, nullptr) == 0);
    child.hold.reset();
  });
  loop.run();
  CHECK(told == 1);
  REQUIRE(errors.all.size() == 1);
  CHECK(errors.all[0] == "lost: no report of the end of pid " + std::to_string(child.pid));
  CHECK(child.reap() == 7);
}

TEST_CASE("an end is not lost that a long turn of the loop kept from being told") {
  const Errors errors;
  Loop loop;
  const SignalWatch takes_long(loop, SIGUSR1, [](int) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(orch::loop::kLostMs + 50);
    while (std::chrono::steady_clock::now() <
           until) {  // the loop's clock stands still unless the loop turns
    }
  });
  Waiter late;
  Waiter early;
  int told = 0;
  ChildWatch late_watch(loop, late.pid, [&] { ++told; });
  ChildWatch early_watch(loop, early.pid, [&] {
    late.end();
    ::raise(SIGUSR1);  // handled after SIGCHLD, in the same turn
  });
  Timer begin(loop);
  begin.start(1, [&] { early.end(); });
  loop.run();
  CHECK(told == 1);
  CHECK(errors.all.empty());
  CHECK(early.reap() == 7);
  CHECK(late.reap() == 7);
}

TEST_CASE("a loop in the callback of another one leaves its children alone") {
  const Errors errors;
  Loop loop;
  Waiter late;
  Waiter early;
  int told = 0;
  ChildWatch late_watch(loop, late.pid, [&] { ++told; });
  Timer nested(loop);
  nested.start(0, [&] {
    Loop inner;
    ChildWatch watch(inner, early.pid, [&] { CHECK(early.reap() == 7); });
    early.hold.reset();
    inner.run();
    late.hold.reset();
  });
  loop.run();  // returns when the child that is watched all the time has ended, too
  CHECK(told == 1);
  struct sigaction action {};
  REQUIRE(::sigaction(SIGCHLD, nullptr, &action) == 0);
  CHECK(action.sa_handler != SIG_DFL);
  CHECK(late.reap() == 7);
  CHECK(errors.all.empty());
}

TEST_CASE("a zombie that its tracer keeps costs no processor time, and is told when it is let go") {
  const Errors errors;
  Loop loop;
  Waiter child;
  auto tracer = std::make_unique<Tracer>(child.pid);
  REQUIRE(tracer->traces());
  int told = 0;
  ChildWatch watch(loop, child.pid, [&] { ++told; });
  child.hold.reset();
  const int64_t before = cpu_ms();
  Timer let_go(loop);
  let_go.start(300, [&] {
    CHECK(told == 0);
    CHECK(cpu_ms() - before < 100);
    tracer.reset();
  });
  loop.run();
  CHECK(told == 1);
  CHECK(child.reap() == 7);
  CHECK(errors.all.empty());
}

TEST_CASE("a child that was killed and cannot be reaped yet is reaped later, and holds nobody up") {
  Loop loop;
  Waiter child;
  auto tracer = std::make_unique<Tracer>(child.pid);
  REQUIRE(tracer->traces());
  REQUIRE(::kill(child.pid, SIGKILL) == 0);
  const int64_t before = loop.now_ms();
  loop.reap(child.pid);
  CHECK(loop.now_ms() - before < 1'000);
  CHECK(::kill(child.pid, 0) == 0);  // it is still a zombie
  tracer.reset();
  Timer look(loop);
  int looks = 0;
  const std::function<void()> again = [&] {
    if (::kill(child.pid, 0) == 0 && ++looks < 1'000) look.start(10, again);
  };
  look.start(0, again);
  loop.run();
  CHECK(::kill(child.pid, 0) != 0);
}
