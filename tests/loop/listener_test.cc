#include "loop/listener.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>
#include <vector>

#include "loop/loop.h"

using orch::base::Fd;
using orch::loop::Listener;
using orch::loop::Loop;
using orch::loop::Timer;

namespace {

// A listening socket with a unique name in no folder (unix(7), autobind).
struct Port {
  Port() : listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    address.sun_family = AF_UNIX;
    const auto* name = reinterpret_cast<const sockaddr*>(&address);
    REQUIRE(::bind(listening.get(), name, sizeof(sa_family_t)) == 0);
    REQUIRE(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
    REQUIRE(::listen(listening.get(), 200) == 0);
  }
  Fd connect() const {
    Fd peer(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0);
    return peer;
  }

  Fd listening;
  sockaddr_un address{};
  socklen_t length = sizeof(address);
};

// While it exists, this process can open no more descriptors.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit none{static_cast<rlim_t>(next.get()), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("every connection that waits is accepted, non-blocking and close-on-exec") {
  Loop loop;
  Port port;
  constexpr size_t kPeers = 150;
  std::vector<Fd> peers, accepted;
  while (peers.size() < kPeers) peers.push_back(port.connect());
  Listener listener(loop, std::move(port.listening), [&](Fd connection) {
    CHECK((::fcntl(connection.get(), F_GETFL) & O_NONBLOCK) != 0);
    CHECK((::fcntl(connection.get(), F_GETFD) & FD_CLOEXEC) != 0);
    accepted.push_back(std::move(connection));
    if (accepted.size() == kPeers) loop.stop();
  });
  loop.run();
  CHECK(accepted.size() == kPeers);
}

TEST_CASE("a listener may be destroyed by what it tells") {
  Loop loop;
  Port port;
  const Fd first = port.connect(), second = port.connect();
  std::unique_ptr<Listener> listener;
  int told = 0;
  listener = std::make_unique<Listener>(loop, std::move(port.listening), [&](Fd) {
    ++told;
    listener.reset();
  });
  loop.run();
  CHECK(told == 1);
}

TEST_CASE("without descriptors a listener waits instead of spinning, and goes on when there are") {
  Loop loop;
  Port port;
  const Fd peer = port.connect();
  int told = 0, shortages = 0;
  Listener listener(
      loop, std::move(port.listening),
      [&](Fd) {
        ++told;
        loop.stop();
      },
      [&](int error) {
        CHECK(error == EMFILE);
        ++shortages;
      });
  Timer later(loop);
  auto none = std::make_unique<NoMoreDescriptors>();
  later.start(3 * orch::loop::kAcceptPauseMs, [&] {
    CHECK(told == 0);
    none.reset();
  });
  rusage before{}, after{};
  REQUIRE(::getrusage(RUSAGE_SELF, &before) == 0);
  loop.run();
  REQUIRE(::getrusage(RUSAGE_SELF, &after) == 0);
  CHECK(told == 1);
  CHECK(shortages >= 1);
  CHECK(shortages <= 4);
  CHECK(after.ru_nvcsw - before.ru_nvcsw <= 20);  // it slept between the attempts
  const auto cpu_us = [](const rusage& usage) {
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
  };
  CHECK(cpu_us(after) - cpu_us(before) < 100'000);  // busy waiting would take 300 ms
}
