#include "fence/door.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "temporary_folder.h"

namespace orch::fence {
namespace {

uint16_t free_port() {
  const base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  socklen_t size = sizeof address;
  REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

base::Fd accepted(const base::Fd& listening) {
  return base::Fd(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

base::Fd connected(uint16_t port) {
  base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result = ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  return result == 0 ? std::move(socket) : base::Fd();
}

}  // namespace

TEST_CASE("the socket that a fenced process hands out accepts for orch") {
  const TemporaryFolder folder;
  const auto door = open_door(folder.path());
  REQUIRE(door.ok());
  const uint16_t port = free_port();
  REQUIRE(hand_out_exit(folder.path(), port).ok());
  const auto exit = take_exit(accepted(*door).get());
  REQUIRE(exit.ok());
  const base::Fd client = connected(port);
  CHECK(client.valid());
  CHECK(accepted(*exit).valid());
}

TEST_CASE("without orch at the door there is no exit") {
  const TemporaryFolder folder;
  const uint16_t port = free_port();
  CHECK_FALSE(hand_out_exit(folder.path(), port).ok());
  CHECK_FALSE(connected(port).valid());
}

TEST_CASE("a connection to the door that brings no socket is refused, and blocks nobody") {
  const TemporaryFolder folder;
  const auto door = open_door(folder.path());
  REQUIRE(door.ok());
  const base::Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.path() + "/exit";
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  REQUIRE(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  const base::Fd connection = accepted(*door);
  CHECK_FALSE(take_exit(connection.get()).ok());
  REQUIRE(::write(client.get(), "x", 1) == 1);
  CHECK_FALSE(take_exit(connection.get()).ok());
}

}  // namespace orch::fence
