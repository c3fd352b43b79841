#include "peer/session_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "as_nobody.h"
#include "base/author.h"
#include "scratch.h"

namespace orch::peer {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

constexpr std::string_view kKey = "orch-42@0badcafe";
constexpr uid_t kNobody = 65534;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

// Accepts the connection that connect_to() has begun, and passes a byte.
void check_that_it_serves(const ListeningSocket& listening, const std::string& path) {
  const auto client = connect_to(path);
  REQUIRE(client.ok());
  const base::Fd peer(::accept4(listening.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  REQUIRE(::write(client.value().get(), "x", 1) == 1);
  char byte = 0;
  REQUIRE(::read(peer.get(), &byte, 1) == 1);
  CHECK(byte == 'x');
}

std::string listen_error(const std::string& folder) {
  const auto listening = listen_on(folder, kKey);
  REQUIRE_FALSE(listening.ok());
  return listening.error().text;
}

TEST_CASE("Sockets are in the runtime directory where there is one of ours") {
  const ScratchFolder folder;
  const std::string state = folder.file("state");
  CHECK(socket_folder({folder.path(), state}) == folder.path() + "/orch");
  CHECK(socket_folder({"", state}) == state + "/sockets");
  CHECK(socket_folder({"relative", state}) == state + "/sockets");
  CHECK(socket_folder({folder.file("missing"), state}) == state + "/sockets");
  std::ofstream(folder.file("file"));
  CHECK(socket_folder({folder.file("file"), state}) == state + "/sockets");
  if (::geteuid() == 0) {
    REQUIRE(::chown(folder.path().c_str(), kNobody, kNobody) == 0);
    CHECK(socket_folder({folder.path(), state}) == state + "/sockets");
  }
}

TEST_CASE("A runtime directory behind a link that an agent could have made has no sockets") {
  const ScratchFolder folder;
  const std::string state = folder.file("state"), link = folder.file("project/run");
  std::filesystem::create_directories(folder.file("project"));
  std::filesystem::create_directory_symlink(folder.path(), link);
  CHECK(socket_folder({link, state}) == link + "/orch");
  base::know_folder_of_agents(std::filesystem::canonical(folder.file("project")).string());
  CHECK(socket_folder({link, state}) == state + "/sockets");
  CHECK(socket_folder({folder.path(), state}) == folder.path() + "/orch");
  base::know_nothing();
}

TEST_CASE("A socket listens in a folder that is made for it, for its user alone") {
  const ScratchFolder folder;
  const std::string sockets = folder.file("state/sockets");
  const std::string path = sockets + "/" + std::string(kKey) + ".sock";
  {
    const auto listening = listen_on(sockets, kKey);
    REQUIRE(listening.ok());
    CHECK(listening.value().name.path() == path);
    CHECK(mode_of(sockets) == 0700);
    CHECK(mode_of(path) == 0600);
    check_that_it_serves(listening.value(), path);
  }
  CHECK_FALSE(fs::exists(path));  // removed with its owner
}

TEST_CASE("A folder of ours that is open to others is closed to them") {
  const ScratchFolder folder;
  const std::string sockets = folder.file("sockets");
  REQUIRE(::mkdir(sockets.c_str(), 0755) == 0);
  REQUIRE(listen_on(sockets, kKey).ok());
  CHECK(mode_of(sockets) == 0700);
}

TEST_CASE("A path of any length will do") {
  const ScratchFolder folder;
  const std::string deep = folder.path() + "/" + std::string(200, 'd') + "/sockets";
  const std::string longest_key = "orch-" + std::string(64, 'i') + "@0badcafe";
  const auto listening = listen_on(deep, longest_key);
  REQUIRE(listening.ok());
  check_that_it_serves(listening.value(), listening.value().name.path());
}

TEST_CASE("What is not a name for a socket is refused") {
  const ScratchFolder folder;
  for (const std::string& key : {std::string(), std::string(".."), std::string("../x"),
                                 std::string("a/b"), std::string(100, 'k')}) {
    CAPTURE(key);
    CHECK_FALSE(listen_on(folder.file("sockets"), key).ok());
  }
  CHECK_FALSE(connect_to("relative.sock").ok());
  CHECK_FALSE(connect_to("/" + std::string(200, 'k')).ok());
}

TEST_CASE("The socket that a dead host left is replaced") {
  const ScratchFolder folder;
  auto dead = listen_on(folder.path(), kKey);
  REQUIRE(dead.ok());
  const std::string path = dead.value().name.path();
  dead.value().socket.reset();
  CHECK(fs::exists(path));
  const auto stale = connect_to(path);
  REQUIRE_FALSE(stale.ok());
  CHECK(stale.error().code == base::ErrorCode::kNotFound);
  CHECK(stale.error().text == "nobody listens on " + path);
  const auto listening = listen_on(folder.path(), kKey);
  REQUIRE(listening.ok());
  check_that_it_serves(listening.value(), path);
}

TEST_CASE("A host that gives up a socket's name a moment later than it should is waited for") {
  const ScratchFolder folder;
  auto parting = listen_on(folder.path(), kKey);
  REQUIRE(parting.ok());
  std::thread parts([&parting] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    { const SocketName last = std::move(parting.value().name); }
    parting.value().socket.reset();
  });
  const auto listening = listen_on(folder.path(), kKey);
  parts.join();
  REQUIRE(listening.ok());
  check_that_it_serves(listening.value(), listening.value().name.path());
}

TEST_CASE("A socket on which somebody listens is not replaced") {
  const ScratchFolder folder;
  const auto living = listen_on(folder.path(), kKey);
  REQUIRE(living.ok());
  const std::string path = living.value().name.path();
  CHECK(listen_error(folder.path()) ==
        "socket " + path + ": another host listens on it; end that one first");
  remove_dead_socket(path);
  CHECK(connect_to(path).ok());
}

TEST_CASE("A dead socket is removed, and nothing else") {
  const ScratchFolder folder;
  auto dead = listen_on(folder.path(), kKey);
  REQUIRE(dead.ok());
  const std::string path = dead.value().name.path();
  dead.value().socket.reset();
  remove_dead_socket(path);
  CHECK_FALSE(fs::exists(path));
  std::ofstream(path) << "precious";
  remove_dead_socket(path);
  CHECK(fs::exists(path));
  remove_dead_socket(folder.file("missing/x.sock"));
  remove_dead_socket("");
}

TEST_CASE("Sockets are told apart by state directory, whatever its path") {
  const ScratchFolder folder;
  for (const char* name : {"a", "b"}) fs::create_directory(folder.file(name));
  fs::create_directory_symlink(folder.file("a"), folder.file("link"));
  const auto name_in = [&folder](const std::string& state, const std::string& repository = "/r") {
    return *socket_name("42", repository, folder.file(state));
  };
  CHECK(name_in("a") != name_in("b"));
  CHECK(name_in("a") != name_in("a", "/s"));
  CHECK(name_in("a") == name_in("link"));
  CHECK(name_in("a") == name_in("b/../a/."));
  CHECK(name_in("a").substr(0, 8) == "orch-42@");
  CHECK_FALSE(socket_name("42", "/r", folder.file("missing")).ok());
  const auto longest = socket_name(std::string(64, 'i'), "/r", folder.path());
  REQUIRE(longest.ok());
  CHECK(listen_on(folder.path(), *longest).ok());
}

TEST_CASE("A name that leads to another socket by now is left") {
  const ScratchFolder folder;
  std::optional<ListeningSocket> first(std::move(listen_on(folder.path(), kKey)).value());
  REQUIRE(fs::remove(first->name.path()));
  const auto second = listen_on(folder.path(), kKey);
  REQUIRE(second.ok());
  first.reset();
  check_that_it_serves(second.value(), second.value().name.path());
}

TEST_CASE("What is in a socket's place and is none is refused by name and left alone") {
  const ScratchFolder folder;
  const std::string path = folder.file(std::string(kKey) + ".sock");
  std::string what;
  SECTION("a file") {
    std::ofstream(path) << "precious";
    what = "a file is in its place; remove it";
  }
  SECTION("a symbolic link, also to a socket of ours") {
    const auto other = listen_on(folder.path(), "other");
    REQUIRE(other.ok());
    fs::create_symlink(other.value().name.path(), path);
    what = "a symbolic link is in its place; remove it";
  }
  SECTION("a folder") {
    fs::create_directory(path);
    what = "a folder is in its place; remove it";
  }
  SECTION("a pipe") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    what = "something else is in its place; remove it";
  }
  CHECK(listen_error(folder.path()) == "socket " + path + ": " + what);
  const auto connected = connect_to(path);
  REQUIRE_FALSE(connected.ok());
  CHECK(connected.error().text == "socket " + path + ": " + what);
  CHECK(fs::symlink_status(path).type() != fs::file_type::not_found);
}

TEST_CASE("A folder that is none of ours is refused by name") {
  const ScratchFolder folder;
  const std::string sockets = folder.file("sockets");
  std::string what = "it is a symbolic link or not a folder";
  SECTION("a symbolic link to a folder") {
    fs::create_directory(folder.file("elsewhere"));
    fs::create_symlink(folder.file("elsewhere"), sockets);
  }
  SECTION("another user's") {
    if (::geteuid() != 0) return;  // only root can give a folder away
    fs::create_directory(sockets);
    REQUIRE(::chown(sockets.c_str(), kNobody, kNobody) == 0);
    what = "it belongs to another user (uid 65534)";
  }
  CHECK(listen_error(sockets) == "socket folder " + sockets + ": " + what +
                                     "; remove it, or set XDG_RUNTIME_DIR to a folder of your own");
  CHECK_FALSE(connect_to(sockets + "/x.sock").ok());
}

TEST_CASE("A file where the folder should be is an error that names it") {
  const ScratchFolder folder;
  std::ofstream(folder.file("sockets"));
  CHECK_THAT(listen_error(folder.file("sockets")), Contains(folder.file("sockets")));
}

TEST_CASE("Another user's socket is neither used nor removed") {
  if (::geteuid() != 0) return;  // only root can give a socket away
  const ScratchFolder folder;
  const auto listening = listen_on(folder.path(), kKey);
  const std::string path = listening.value().name.path();
  REQUIRE(::lchown(path.c_str(), kNobody, kNobody) == 0);
  const std::string refusal =
      "socket " + path + ": it belongs to another user (uid 65534); have it removed";
  CHECK(listen_error(folder.path()) == refusal);
  CHECK(connect_to(path).error().text == refusal);
  CHECK(fs::exists(path));
}

TEST_CASE("Where nothing is nobody listens") {
  const ScratchFolder folder;
  for (const std::string& path : {folder.file("x.sock"), folder.file("missing/x.sock")}) {
    const auto connected = connect_to(path);
    REQUIRE_FALSE(connected.ok());
    CHECK(connected.error().code == base::ErrorCode::kNotFound);
  }
}

TEST_CASE("A host that accepts nobody is an error, not a wait") {
  const ScratchFolder folder;
  const auto listening = listen_on(folder.path(), kKey);
  std::vector<base::Fd> waiting;
  std::string error;
  while (error.empty() && waiting.size() < 1'000) {
    auto connected = connect_to(listening.value().name.path());
    if (connected) {
      waiting.push_back(std::move(connected).value());
    } else {
      error = connected.error().text;
    }
  }
  CHECK_THAT(error, Contains("takes no more connections: its host is stopped or overloaded"));
}

TEST_CASE("The peer of a connection is known, and that it is ours") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const base::Fd one(ends[0]), other(ends[1]);
  CHECK(our_peer(one) == ::getpid());
  const base::Fd none(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  CHECK_FALSE(our_peer(none).has_value());
  if (::geteuid() == 0) {  // orch as root does not trust even the user that it acts as
    const AsNobody nobody;
    CHECK_FALSE(our_peer(one).has_value());
  }
}

}  // namespace
}  // namespace orch::peer
