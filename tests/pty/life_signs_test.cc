#include "pty/life_signs.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/fd.h"

using orch::base::Fd;
using orch::pty::LifeSigns;
using orch::pty::ProcessLife;
using orch::pty::read_life_signs;
using orch::pty::shows_life;

namespace {

// In the agent's process, or a child's: reports to the test, and waits until it may go on.
class Voice {
 public:
  Voice(int out, int in) : out_(out), in_(in) {}
  void say(char c) const {
    if (::write(out_, &c, 1) != 1) ::_exit(1);
  }
  void await() const {
    char c = 0;
    if (::read(in_, &c, 1) != 1) ::_exit(1);
  }
  // Forks a child that does `life` and then waits for its end.
  pid_t child(const std::function<void()>& life) const {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    life();
    for (;;) ::pause();
  }

 private:
  int out_;
  int in_;
};

std::vector<pid_t> pids(const LifeSigns& signs) {
  std::vector<pid_t> result;
  for (const ProcessLife& process : signs.processes) result.push_back(process.pid);
  return result;
}

// A child that leads its own session. The destructor kills it and its descendants.
class Agent {
 public:
  explicit Agent(const std::function<void(const Voice&)>& life) {
    int up[2], down[2];
    REQUIRE(::pipe(up) == 0);
    REQUIRE(::pipe(down) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setsid();
      ::close(up[0]);
      ::close(down[1]);
      life(Voice(up[1], down[0]));
      for (;;) ::pause();
    }
    ::close(up[1]);
    ::close(down[0]);
    ears_ = Fd(up[0]);
    mouth_ = Fd(down[1]);
  }
  ~Agent() {
    const std::vector<pid_t> family = pids(look());
    for (const pid_t member : family) ::kill(member, SIGKILL);
    // Our children, originally or since we adopted them.
    for (const pid_t member : family) ::waitpid(member, nullptr, 0);
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  pid_t pid() const { return pid_; }
  LifeSigns look() const { return read_life_signs(pid_); }
  char hear() const {
    char c = 0;
    REQUIRE(::read(ears_.get(), &c, 1) == 1);  // fails if all writers have ended
    return c;
  }
  void go_on() const { REQUIRE(::write(mouth_.get(), "x", 1) == 1); }

 private:
  pid_t pid_ = 0;
  Fd ears_, mouth_;
};

int64_t cpu_time_ms() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return int64_t{used.tv_sec} * 1000 + used.tv_nsec / 1'000'000;
}

void use_cpu(int ms) {
  const int64_t end = cpu_time_ms() + ms;
  while (cpu_time_ms() < end) continue;
}

// Connects this process to itself by TCP, with 3 sockets. False if there is no such network.
bool connect_to_itself(int family) {
  sockaddr_storage address{};
  socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  address.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET) {
    reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  } else {
    reinterpret_cast<sockaddr_in6&>(address).sin6_addr = in6addr_loopback;
  }
  auto* where = reinterpret_cast<sockaddr*>(&address);
  const int listener = ::socket(family, SOCK_STREAM, 0);
  const bool listening = listener >= 0 && ::bind(listener, where, size) == 0 &&
                         ::listen(listener, 1) == 0 && ::getsockname(listener, where, &size) == 0;
  if (!listening) {
    ::close(listener);
    return false;
  }
  const int client = ::socket(family, SOCK_STREAM, 0);
  return ::connect(client, where, size) == 0 && ::accept(listener, nullptr, nullptr) >= 0;
}

}  // namespace

TEST_CASE("an agent without children is seen alone, by its name made printable") {
  const Agent agent([](const Voice& voice) {
    ::prctl(PR_SET_NAME, ") R 1\n\xFF");
    voice.say('n');
  });
  agent.hear();
  const LifeSigns signs = agent.look();
  REQUIRE(pids(signs) == std::vector<pid_t>{agent.pid()});
  CHECK(signs.processes[0].name == ") R 1\uFFFD\uFFFD");
  CHECK(signs.child_count() == 0);
  CHECK(signs.child_names().empty());
  CHECK(signs.at_ms > 0);
}

TEST_CASE("children are counted, the first ten by name") {
  const Agent agent([](const Voice& voice) {
    for (int i = 0; i < 12; ++i) {
      voice.child([&] {
        ::prctl(PR_SET_NAME, "a child");
        voice.say('c');
      });
    }
  });
  for (int i = 0; i < 12; ++i) agent.hear();
  const LifeSigns signs = agent.look();
  CHECK(signs.processes[0].pid == agent.pid());
  CHECK(signs.child_count() == 12);
  CHECK(signs.child_names() == std::vector<std::string>(10, "a child"));
}

TEST_CASE("a child of its own session, and one whose parent is gone, belong to the agent") {
  const Agent agent([](const Voice& voice) {
    voice.child([&] {
      ::setsid();
      voice.say('s');
    });
    const pid_t between = voice.child([&] {
      voice.child([&] { voice.say('o'); });
      ::_exit(0);
    });
    ::waitpid(between, nullptr, 0);
    voice.say('w');
  });
  for (int i = 0; i < 3; ++i) agent.hear();
  CHECK(agent.look().child_count() == 2);
}

TEST_CASE("CPU used shows, by a child too that was reaped between the looks") {
  const Agent agent([](const Voice& voice) {
    voice.await();
    use_cpu(60);
    voice.say('a');
    voice.await();
    const pid_t child = voice.child([] {
      use_cpu(60);
      ::_exit(0);
    });
    ::waitpid(child, nullptr, 0);
    voice.say('c');
  });
  const LifeSigns first = agent.look();
  agent.go_on();
  agent.hear();
  const LifeSigns second = agent.look();
  CHECK(second.cpu_ms() >= first.cpu_ms() + 40);
  agent.go_on();
  agent.hear();
  const LifeSigns third = agent.look();
  CHECK(third.child_count() == 0);
  CHECK(third.cpu_ms() >= second.cpu_ms() + 40);
}

TEST_CASE("bytes that were read and written show life, nothing done does not") {
  const Agent agent([](const Voice& voice) {
    std::vector<char> megabyte(1 << 20);
    const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    voice.say('r');
    voice.await();
    const ssize_t got = ::read(zero, megabyte.data(), megabyte.size());
    if (::write(null, megabyte.data(), megabyte.size()) == got) voice.say('m');
  });
  agent.hear();
  const LifeSigns first = agent.look();
  CHECK_FALSE(shows_life(first, agent.look()));
  agent.go_on();
  agent.hear();
  const LifeSigns second = agent.look();
  CHECK(second.bytes_read() >= first.bytes_read() + (1 << 20));
  CHECK(second.bytes_written() >= first.bytes_written() + (1 << 20));
  CHECK(shows_life(first, second));
}

TEST_CASE("a child that was not there before shows life, one that is gone does not") {
  const Agent agent([](const Voice& voice) {
    voice.await();
    const pid_t child = voice.child([&] { voice.say('c'); });
    voice.await();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    voice.say('g');
  });
  const LifeSigns first = agent.look();
  agent.go_on();
  agent.hear();
  const LifeSigns second = agent.look();
  CHECK(shows_life(first, second));
  agent.go_on();
  agent.hear();
  const LifeSigns third = agent.look();
  CHECK(third.child_count() == 0);
  CHECK_FALSE(shows_life(second, third));
}

TEST_CASE("sockets are counted once, whoever holds them, and those of TCP that are connected") {
  const Agent agent([](const Voice& voice) {
    voice.say('r');
    voice.await();
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) ::_exit(1);
    if (!connect_to_itself(AF_INET)) ::_exit(1);
    const bool six = connect_to_itself(AF_INET6);
    voice.child([&] { voice.say(six ? '6' : '4'); });
  });
  agent.hear();
  const LifeSigns before = agent.look();
  agent.go_on();
  const int connections = agent.hear() == '6' ? 2 : 1;
  const LifeSigns after = agent.look();
  CHECK(before.sockets_established == 0);
  CHECK(after.sockets_open == before.sockets_open + 2 + 3 * connections);
  CHECK(after.sockets_established == 2 * connections);
}

TEST_CASE("of an agent that has ended, reaped or not, or never was, nothing is seen") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  CHECK(read_life_signs(child).processes.empty());
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const LifeSigns gone = read_life_signs(child);
  CHECK(gone.processes.empty());
  CHECK(gone.child_count() == 0);
  CHECK(gone.cpu_ms() == 0);
  CHECK(read_life_signs(std::numeric_limits<pid_t>::max()).processes.empty());
}

namespace {

// The signs of an agent and one child 100 s after the first look, with these amounts more used by
// the child.
LifeSigns later(int64_t cpu_ms, int64_t read, int64_t written) {
  LifeSigns signs;
  signs.at_ms = 105'000;
  signs.processes = {{10, 1, "agent", 4000, 3 << 20, 1 << 20},
                     {11, 2, "child", 7000 + cpu_ms, 5 + read, 5 + written}};
  return signs;
}

LifeSigns first_look() {
  LifeSigns signs = later(0, 0, 0);
  signs.at_ms = 5'000;
  return signs;
}

}  // namespace

TEST_CASE("what an idle terminal program does is no life, more is") {
  constexpr int64_t kBytes = (1 << 20) + 100 * (8 << 10);
  CHECK_FALSE(shows_life(first_look(), later(0, 0, 0)));
  CHECK_FALSE(shows_life(first_look(), later(4500, 0, 0)));
  CHECK(shows_life(first_look(), later(4501, 0, 0)));
  CHECK_FALSE(shows_life(first_look(), later(0, kBytes - 7, 7)));
  CHECK(shows_life(first_look(), later(0, kBytes - 7, 8)));
}

TEST_CASE("who works and has to wait for a processor shows life, who only looks around does not") {
  const auto waiting = [](int64_t cpu_ms, int64_t waited_ms) {
    LifeSigns signs = later(cpu_ms, 0, 0);
    signs.processes[1].waited_ms = waited_ms;
    return signs;
  };
  CHECK_FALSE(shows_life(first_look(), waiting(4001, 499)));
  CHECK(shows_life(first_look(), waiting(4001, 500)));
  CHECK_FALSE(shows_life(first_look(), waiting(4000, 1'000'000)));
}

TEST_CASE("what a look has listed is read as what this machine's own files say") {
  const LifeSigns signs = life_signs_in(
      "41 (make (x) S) S 40 1 1 0 -1 0 0 0 0 0 7 3 0 5 20 0 1 0 900 0 0\n"
      "rchar: 100\nwchar: 20\nread_bytes: 7\n"
      "40 (node) R 1 1 1 0 -1 0 0 0 0 0 100 50 0 0 20 0 9 0 800 0 0\n"
      "no line of theirs\n42 (cut off) R 1 1\n",
      1234);
  REQUIRE(signs.processes.size() == 2);
  CHECK(signs.at_ms == 1234);
  CHECK(signs.processes[0].pid == 40);  // the process that was started first
  CHECK(signs.processes[0].name == "node");
  CHECK(signs.processes[0].cpu_ms == 1500);
  CHECK(signs.processes[1].name == "make (x) S");
  CHECK(signs.processes[1].start == 900);
  CHECK(signs.processes[1].cpu_ms == 150);
  CHECK(signs.bytes_read() == 100);
  CHECK(signs.bytes_written() == 20);
  CHECK(signs.sockets_open < 0);
  CHECK(life_signs_in("", 1).processes.empty());
}

TEST_CASE("a process is another when its start is, and one that is gone takes nothing away") {
  LifeSigns other = later(0, 0, 0);
  other.processes[1].start = 3;
  CHECK(shows_life(first_look(), other));

  LifeSigns alone = later(0, 0, 0);
  alone.processes.pop_back();
  CHECK_FALSE(shows_life(first_look(), alone));
  alone.processes[0].cpu_ms += 4501;
  CHECK(shows_life(first_look(), alone));
  CHECK_FALSE(shows_life(first_look(), LifeSigns{}));
}
