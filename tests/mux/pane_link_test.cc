#include "mux/pane_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "mux/pane_agent.h"
#include "skipped.h"

extern char** environ;

namespace orch::mux {
namespace {

using Kind = Order::Kind;

constexpr int64_t kPatienceMs = 60'000;
const Hello kHello{"/tmp/tmux-0/orch,12,3", "%4", ""};

// A terminal and its other end, which a multiplexer would hold.
class Terminal {
 public:
  Terminal() : master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    REQUIRE(master.valid());
    REQUIRE(::grantpt(master.get()) == 0);
    REQUIRE(::unlockpt(master.get()) == 0);
    ::fcntl(master.get(), F_SETFL, O_NONBLOCK);
    slave.reset(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    REQUIRE(slave.valid());
  }
  // Whether no process but this test has had it open to the end.
  bool is_only_ours() {
    slave.reset();
    pollfd end{master.get(), 0, 0};
    return ::poll(&end, 1, 0) == 1 && (end.revents & POLLHUP) != 0;
  }

  base::Fd master, slave;
};

// Sends a packet as no honest pane would.
void send_raw(const base::Fd& socket, std::string packet, const std::vector<int>& descriptors) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
  iovec part{packet.data(), packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    const size_t size = descriptors.size() * sizeof(int);
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(head), descriptors.data(), size);
  }
  REQUIRE(::sendmsg(socket.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(packet.size()));
}

// The next packet that has come; "" at the end of the connection, "nothing" if there is none.
std::string received(const base::Fd& socket) {
  std::array<char, kMaxPacket> packet;
  const ssize_t size = ::recv(socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (size < 0) return errno == ECONNRESET ? "" : "nothing";
  return {packet.data(), static_cast<size_t>(size)};
}

PaneDoor open_door() {
  base::Result<PaneDoor> door = PaneDoor::open();
  REQUIRE(door);
  return std::move(door).value();
}

TEST_CASE("a pane that hands its terminal over is let in with it") {
  PaneDoor door = open_door();
  CHECK(door.let_in() == nullptr);  // nobody has come, which is told at once
  Terminal terminal;
  const base::Fd pane = knock(door.name());
  REQUIRE(pane.valid());
  REQUIRE(hand_over(pane, kHello, terminal.slave.get()));
  const std::unique_ptr<PaneLink> link = door.let_in();
  REQUIRE(link != nullptr);
  CHECK(link->hello == kHello);
  CHECK(link->pid == ::getpid());
  CHECK(std::string(::ttyname(link->terminal.get())) == ::ptsname(terminal.master.get()));
  CHECK((::fcntl(link->terminal.get(), F_GETFD) & FD_CLOEXEC) != 0);

  const Order finish{Kind::kFinish, {7, 0}, {"tmux", "a b", ""}};
  link->order(finish);
  CHECK(order_in(received(pane)) == finish);
  CHECK(door.let_in() == nullptr);
}

TEST_CASE("what is no pane is not let in, and nothing that it has handed over is kept") {
  PaneDoor door = open_door();
  Terminal terminal;
  int pipe[2];
  REQUIRE(::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) == 0);
  const base::Fd read_end(pipe[0]);
  base::Fd write_end(pipe[1]);
  const std::string hello = to_packet(kHello);
  struct Case {
    std::string what, packet;
    std::vector<int> descriptors;
  };
  for (const Case& one : std::vector<Case>{
           {"garbage", "\xff\xfe\x01", {terminal.slave.get()}},
           {"nothing at all", "", {terminal.slave.get()}},
           {"an order", to_packet(Order{Kind::kFinish, {}, {}}), {terminal.slave.get()}},
           {"half a hello", hello.substr(0, hello.size() - 3), {terminal.slave.get()}},
           {"more than a hello", hello + std::string("x\0", 2), {terminal.slave.get()}},
           {"too much", "H" + std::string(2 * kMaxPacket, 'x'), {terminal.slave.get()}},
           {"no descriptor", hello, {}},
           {"a pipe", hello, {write_end.get()}},
           {"a pipe and a terminal", hello, {write_end.get(), terminal.slave.get()}},
       }) {
    INFO(one.what);
    const base::Fd stranger = knock(door.name());
    REQUIRE(stranger.valid());
    send_raw(stranger, one.packet, one.descriptors);
    CHECK(door.let_in() == nullptr);
    CHECK(received(stranger).empty());
  }
  CHECK(terminal.is_only_ours());
  write_end.reset();
  char byte = 0;
  CHECK(::read(read_end.get(), &byte, 1) == 0);
}

TEST_CASE("of several descriptors a pane's terminal is the first, and no other one is kept") {
  PaneDoor door = open_door();
  Terminal terminal, second, third;
  const base::Fd pane = knock(door.name());
  send_raw(pane, to_packet(kHello), {terminal.slave.get(), second.slave.get(), third.slave.get()});
  const std::unique_ptr<PaneLink> link = door.let_in();
  REQUIRE(link != nullptr);
  CHECK(std::string(::ttyname(link->terminal.get())) == ::ptsname(terminal.master.get()));
  CHECK(second.is_only_ours());
  CHECK(third.is_only_ours());
}

TEST_CASE("who says nothing is waited for once, and keeps nobody else out") {
  PaneDoor door = open_door();
  base::Fd mute = knock(door.name());
  REQUIRE(mute.valid());
  SECTION("it stays") {}
  SECTION("it hangs up") { mute.reset(); }
  SECTION("it hangs up half") { ::shutdown(mute.get(), SHUT_WR); }
  Terminal terminal;
  const base::Fd pane = knock(door.name());
  REQUIRE(hand_over(pane, kHello, terminal.slave.get()));
  CHECK(door.let_in() == nullptr);
  if (mute.valid()) CHECK(received(mute).empty());
  CHECK(door.let_in() != nullptr);
}

TEST_CASE("a pane that is gone when it is let in, or does not read, holds up no order") {
  PaneDoor door = open_door();
  Terminal terminal;
  base::Fd pane = knock(door.name());
  REQUIRE(hand_over(pane, kHello, terminal.slave.get()));
  const Order print{Kind::kPrint, {}, {std::string(1'000, 'x')}};
  SECTION("it is gone") {
    pane.reset();
    const std::unique_ptr<PaneLink> link = door.let_in();
    REQUIRE(link != nullptr);
    link->order(print);
    CHECK(received(link->socket).empty());
  }
  SECTION("it does not read") {
    const std::unique_ptr<PaneLink> link = door.let_in();
    REQUIRE(link != nullptr);
    for (int i = 0; i < 5'000; ++i) link->order(print);
    link->order({Kind::kPrint, {}, {std::string(8 << 20, 'x')}});  // more than any packet holds
    size_t read = 0;
    for (std::string packet; (packet = received(pane)) != "nothing"; ++read) {
      CHECK(order_in(packet) == print);  // those that it gets are whole
    }
    CHECK(read > 0);
    CHECK(read < 5'000);
  }
}

TEST_CASE("a door that is not there is not knocked at, and it is said why") {
  std::string name = open_door().name();
  errno = 0;
  CHECK_FALSE(knock(name).valid());
  CHECK(errno == ECONNREFUSED);
  errno = 0;
  CHECK_FALSE(knock(name + std::string(200, 'x')).valid());
  CHECK(errno == ENAMETOOLONG);
}

TEST_CASE("what cannot be handed over is said to be not") {
  PaneDoor door = open_door();
  Terminal terminal;
  const base::Fd pane = knock(door.name());
  CHECK_FALSE(hand_over(pane, kHello, -1));
  (void)door.let_in();  // who is mute is sent away
  CHECK_FALSE(hand_over(pane, kHello, terminal.slave.get()));
}

TEST_CASE("another user neither gets in nor lets in") {
  if (::geteuid() != 0) return say_skipped("only root can be another user");
  constexpr uid_t kNobody = 65534;
  PaneDoor door = open_door();
  Terminal terminal;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(kNobody) != 0) ::_exit(1);
    errno = 0;
    if (knock(door.name()).valid() || errno != EACCES) ::_exit(2);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path + 1, door.name().data(), door.name().size());
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + door.name().size());
    const base::Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET, 0));
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), size) != 0) ::_exit(3);
    ::_exit(hand_over(socket, kHello, terminal.slave.get()) ? 0 : 4);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(door.let_in() == nullptr);  // whose knock was in vain
  CHECK(door.let_in() == nullptr);  // who has handed over a terminal
  CHECK(terminal.is_only_ours());
}

// An agent on a terminal, and the test as the pane around it.
class AgentScene final : public PaneObserver {
 public:
  AgentScene() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    pane.reset(ends[0]);
    hosts_.reset(ends[1]);
    output_.start(loop::kReadable, [this](int) {
      std::array<char, 4096> bytes;
      const ssize_t size = ::read(terminal.master.get(), bytes.data(), bytes.size());
      if (size <= 0) return output_.stop();
      output.append(bytes.data(), static_cast<size_t>(size));
      look();
    });
  }

  base::Status start(std::vector<std::string> argv) {
    pty::SpawnPlan plan;
    plan.argv = std::move(argv);
    plan.cwd = "/";
    for (char** entry = environ; *entry != nullptr; ++entry) plan.env.emplace_back(*entry);
    plan.cols = 80;
    plan.rows = 24;
    auto link = std::make_unique<PaneLink>(
        PaneLink{std::move(hosts_), std::move(terminal.slave), kHello, ::getpid()});
    auto started = PaneAgent::start(loop_, std::move(link), plan, *this);
    if (!started) return started.error();
    agent = std::move(started).value();
    return base::Ok{};
  }
  void start_script(const std::string& script) {
    const base::Status started = start({"/bin/sh", "-c", script});
    INFO((started ? "" : started.error().text));
    REQUIRE(started);
  }
  void type(const std::string& keys) const {
    CHECK(::write(terminal.master.get(), keys.data(), keys.size()) ==
          static_cast<ssize_t>(keys.size()));
  }
  // The multiplexer closes the terminal.
  void close_terminal() {
    output_.close();
    terminal.master.reset();
  }
  void until(const std::function<bool()>& there) {
    there_ = &there;
    loop::Timer deadline(loop_);
    deadline.start(kPatienceMs, [this] { loop_.stop(); });
    if (!there()) loop_.run();
    there_ = nullptr;
    INFO("output: " << output);
    REQUIRE(there());
  }
  void until_ended() {
    until([this] { return ended > 0; });
  }

  Terminal terminal;
  base::Fd pane;
  std::string output;
  int ended = 0, lost = 0;
  pty::ExitStatus status;
  bool destroys = false;  // in every call

 private:
  void on_agent_ended(pty::ExitStatus end) override {
    ++ended;
    status = end;
    if (destroys) agent.reset();
    look();
  }
  void on_pane_lost() override {
    ++lost;
    if (destroys) agent.reset();
    look();
  }
  void look() {
    if (there_ != nullptr && (*there_)()) loop_.stop();
  }

  base::Fd hosts_;
  loop::Loop loop_;
  loop::WatchedFd output_{loop_, loop::WatchedFd::share(terminal.master.get())};
  const std::function<bool()>* there_ = nullptr;

 public:
  std::unique_ptr<PaneAgent> agent;
};

TEST_CASE("an agent in a pane has its terminal, and ends with its own status") {
  AgentScene it;
  it.start_script("test -t 0 && test -t 2 && echo \"on $(tty)\"; read -r word; exit \"$word\"");
  it.until([&] { return it.output.find('\n') != std::string::npos; });
  CHECK(it.output.find("on " + std::string(::ptsname(it.terminal.master.get()))) == 0);
  CHECK(it.agent->canonical());
  CHECK_FALSE(it.agent->asks_secret());
  it.type("7\n");
  it.until_ended();
  CHECK(it.status == pty::ExitStatus{7, 0});
  CHECK(it.lost == 0);
}

TEST_CASE("that an agent asks for a secret is seen on its terminal") {
  AgentScene it;
  it.start_script("stty -echo; echo ready; read -r word");
  it.until([&] { return it.output.find("ready") != std::string::npos; });
  CHECK(it.agent->asks_secret());
}

TEST_CASE("what a pane should not say is passed over") {
  AgentScene it;
  it.start_script("read -r word; exit 3");
  Terminal another;
  for (int i = 0; i < 3; ++i) {
    send_raw(it.pane, to_packet(kHello), {another.slave.get()});
    send_raw(it.pane, std::string(20'000, '\xff'), {});
    send_raw(it.pane, to_packet(Order{Kind::kFinish, {}, {}}), {});
  }
  it.type("go\n");
  it.until_ended();
  CHECK(it.status == pty::ExitStatus{3, 0});
  CHECK(it.lost == 0);
  it.agent.reset();  // with what it has not read
  CHECK(another.is_only_ours());
}

TEST_CASE("the end of a pane is told once, and its agent lives until it is stopped") {
  AgentScene it;
  it.start_script("echo ready; sleep 1000");
  it.until([&] { return it.output.find("ready") != std::string::npos; });
  SECTION("it is gone") { it.pane.reset(); }
  SECTION("it has hung up half") { ::shutdown(it.pane.get(), SHUT_WR); }
  it.until([&] { return it.lost > 0; });
  CHECK(it.ended == 0);
  it.agent->print("x");
  it.agent->finish({}, {"true"});
  it.agent->stop({.quit_ms = 0, .term_ms = 0});
  it.until_ended();
  CHECK(it.status.signal != 0);
  CHECK(it.lost == 1);
}

TEST_CASE("an agent whose terminal is closed is hung up, and its size is none") {
  AgentScene it;
  it.start_script("echo ready; sleep 1000");
  it.until([&] { return it.output.find("ready") != std::string::npos; });
  const winsize shown{24, 80, 0, 0};
  REQUIRE(::ioctl(it.terminal.master.get(), TIOCSWINSZ, &shown) == 0);
  CHECK(it.agent->size() == pty::TerminalSize{80, 24});
  it.close_terminal();
  CHECK(it.agent->size() == pty::TerminalSize{0, 0});
  CHECK_FALSE(it.agent->asks_secret());
  it.agent->hold_output();
  it.agent->release_output();
  it.until_ended();
  CHECK(it.status == pty::ExitStatus{0, SIGHUP});
}

TEST_CASE("an agent that is left is killed and reaped, and its pane is let go") {
  AgentScene it;
  it.start_script("trap '' TERM HUP INT; echo ready; while :; do sleep 1000; done");
  it.until([&] { return it.output.find("ready") != std::string::npos; });
  const pid_t pid = it.agent->pid();
  it.agent.reset();
  CHECK(::kill(pid, 0) != 0);
  CHECK(errno == ESRCH);
  CHECK(received(it.pane).empty());
}

TEST_CASE("a pane whose agent cannot be started is let go") {
  AgentScene it;
  const base::Status started = it.start({"/no/such/agent"});
  REQUIRE_FALSE(started);
  CHECK(started.error().text.find("/no/such/agent") != std::string::npos);
  CHECK(received(it.pane).empty());
  CHECK(it.terminal.is_only_ours());
}

TEST_CASE("a pane gets its orders in their order, each as it was given") {
  AgentScene it;
  it.start_script("read -r word");
  it.agent->if_abandoned({"zellij", "delete-session", "a b"});
  it.agent->print(std::string("\033Pmark\033\\"));
  it.agent->finish({0, 9}, {});
  CHECK(order_in(received(it.pane)) ==
        Order{Kind::kIfAbandoned, {}, {"zellij", "delete-session", "a b"}});
  CHECK(order_in(received(it.pane)) == Order{Kind::kPrint, {}, {"\033Pmark\033\\"}});
  CHECK(order_in(received(it.pane)) == Order{Kind::kFinish, {0, 9}, {}});
}

TEST_CASE("who is told of an end may drop the agent from inside of that") {
  AgentScene it;
  it.destroys = true;
  it.start_script("read -r word");
  SECTION("of the agent's") { it.type("go\n"); }
  SECTION("of the pane's") { it.pane.reset(); }
  it.until([&] { return it.ended + it.lost > 0; });
  CHECK(it.ended + it.lost == 1);
  CHECK(it.agent == nullptr);
}

}  // namespace
}  // namespace orch::mux
