#include "peer/peer_process.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>

#include "pty/containment.h"

using namespace orch;
using peer::runs_around;
using peer::RunsAround;
using peer::why_not_outside;
using namespace std::string_view_literals;

namespace {

// A child process that runs `disguise` and then waits to be killed.
class Child {
 public:
  explicit Child(const std::function<void()>& disguise) {
    std::array<int, 2> ready{};
    REQUIRE(::pipe(ready.data()) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      disguise();
      const pid_t self = ::getpid();
      [[maybe_unused]] const ssize_t written = ::write(ready[1], &self, sizeof self);
      for (;;) ::pause();
    }
    REQUIRE(::read(ready[0], &waiting_, sizeof waiting_) == sizeof waiting_);
    for (const int end : ready) ::close(end);
  }
  ~Child() {
    ::kill(waiting_, SIGKILL);
    ::kill(pid_, SIGKILL);
    for (const pid_t pid : {pid_, waiting_}) ::waitpid(pid, nullptr, 0);
  }
  pid_t pid() const { return waiting_; }

 private:
  pid_t pid_ = 0, waiting_ = 0;
};

bool is_inside_us(pid_t pid) {
  const auto around = runs_around(pid);
  return around && around->hosts.contains(::getpid());
}

}  // namespace

TEST_CASE("what descends from a host is inside its run, whatever it does") {
  REQUIRE(pty::become_subreaper());
  const Child plain([] {});
  CHECK(is_inside_us(plain.pid()));
  const Child cleared([] {
    ::clearenv();
    ::setsid();
  });
  CHECK(is_inside_us(cleared.pid()));
  const Child orphan([] {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::usleep(20'000);
  });
  CHECK(is_inside_us(orphan.pid()));
}

TEST_CASE("who is no descendant is outside, and a host is not inside itself") {
  CHECK_FALSE(is_inside_us(::getppid()));
  CHECK_FALSE(is_inside_us(::getpid()));
}

TEST_CASE("a process that is gone, is in another namespace or hides cannot be told") {
  CHECK_FALSE(runs_around(0));
  CHECK_FALSE(runs_around(-1));
  pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  CHECK_FALSE(runs_around(gone));
}

TEST_CASE("a host stands aside for a command of the user's, or when it was told to") {
  CHECK(peer::allows_agents("orch\0run\0007\0--\0sh\0"sv, false));
  CHECK(peer::allows_agents("orch\0run\0007\0--trust-agent\0"sv, false));
  CHECK_FALSE(peer::allows_agents("orch\0run\0007\0-p\0x\0"sv, false));
  CHECK_FALSE(peer::allows_agents("--trust-agent\0run\0007\0"sv, false));
  CHECK_FALSE(peer::allows_agents("", false));
  CHECK_FALSE(peer::allows_agents("orch\0run\0007\0--\0sh\0"sv, true));
  CHECK(peer::allows_agents("orch\0run\0007\0--trust-agent\0--\0sh\0"sv, true));
}

TEST_CASE("orch top and orch mcp are no hosts, nor is orch alone; everything else may be one") {
  CHECK(peer::starts_commands("orch\0top\0"sv));
  CHECK(peer::starts_commands("orch\0top\0--here\0"sv));
  CHECK(peer::starts_commands("orch\0mcp\0"sv));
  CHECK(peer::starts_commands("orch\0mcp\0--state-dir\0/s\0"sv));
  CHECK(peer::starts_commands("orch\0"sv));
  for (const char* word : {"top", "mcp"}) {
    INFO(word);
    const std::string name(word), end(1, '\0');
    CHECK_FALSE(peer::starts_commands("orch" + end + "run" + end + name + end));
    CHECK_FALSE(peer::starts_commands(name + end + "run" + end + "7" + end));
    CHECK_FALSE(peer::starts_commands("orch" + end + name + "x" + end));
  }
  CHECK_FALSE(peer::starts_commands(""));
}

TEST_CASE("only what is around the host, too, or stands aside, leaves a process outside") {
  const RunsAround::Host agent{1, "A", false}, wrapper{2, "W", true};
  const RunsAround none, in_agent{{{10, agent}}, {}}, in_wrapper{{{20, wrapper}}, {}},
      wrapped_in_agent{{{10, agent}, {20, wrapper}}, {}}, marked{{}, {"A"}};
  constexpr pid_t kSelf = 10;
  CHECK(why_not_outside(none, none, kSelf, false).empty());
  CHECK(why_not_outside(in_agent, none, kSelf, false) ==
        "refused: this process belongs to run A; start that run with --trust-agent to allow it");
  CHECK(why_not_outside(in_agent, none, kSelf, true).empty());
  CHECK_FALSE(why_not_outside(in_agent, none, 11, true).empty());  // an agent of another host
  CHECK(why_not_outside(in_wrapper, none, kSelf, false).empty());
  CHECK_FALSE(why_not_outside(wrapped_in_agent, none, 11, false).empty());
  CHECK(why_not_outside(wrapped_in_agent, in_agent, 11, false).empty());
  CHECK_FALSE(why_not_outside(marked, none, kSelf, true).empty());
  CHECK(why_not_outside(marked, marked, kSelf, false).empty());
  RunsAround reused = in_agent;
  reused.hosts[10].start = 3;  // another process has the pid now
  CHECK_FALSE(why_not_outside(in_agent, reused, 11, false).empty());
}

TEST_CASE("a peer is known by the process that connected, not by who has the socket now") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const base::Fd one(ends[0]), two(ends[1]);
  CHECK(peer::PeerProcess(one).refusal(false).empty());  // this process itself
  std::array<int, 2> passed{};
  REQUIRE(::pipe(passed.data()) == 0);
  const base::Fd no_socket(passed[0]), other(passed[1]);
  CHECK_FALSE(peer::PeerProcess(no_socket).refusal(true).empty());
}
