// What the namespaces enforce, tried by shell commands in them, without the other layers.
#include "fence/namespaces.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/fd.h"
#include "fenced.h"
#include "skipped.h"

using namespace orch::fence;

namespace {

// The exit code of a shell command in namespaces, without other layers.
int shell(const Plan& plan, const std::string& command) {
  return exit_code(in_namespaces(plan, {"/bin/sh", "-c", command}));
}

std::optional<Plan> plan_of(const Yard& yard, Network network = {}) {
  Offer offer;
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) {
    orch::say_skipped("no namespaces here: " + bubblewrap.error().text);
    return std::nullopt;
  }
  offer.bubblewrap = *bubblewrap;
  offer.root = ::geteuid() == 0;
  Request request = yard.request();
  request.network = std::move(network);
  return make_plan(offer, request).value();
}

}  // namespace

TEST_CASE("in namespaces nothing outside is written, nor changed in mode, owner or time") {
  const Yard yard;
  const std::string kept = yard.write("out/kept", "kept");
  const auto plan = plan_of(yard);
  if (!plan) return;
  CHECK(shell(*plan, "echo x > new && chmod 600 new && touch -d @0 new") == 0);
  for (const std::string& command :
       {"echo x > " + kept, "rm " + kept, "chmod 777 " + kept, "touch -d @0 " + kept,
        "chown 1:1 " + kept, "mv " + kept + " here", "touch " + yard.path("out/new")}) {
    INFO(command);
    CHECK(shell(*plan, "{ " + command + "; } 2>/dev/null") != 0);
  }
  CHECK(text_of(kept) == "kept");
  CHECK(std::filesystem::exists(yard.path("work/new")));
}

TEST_CASE("in namespaces /tmp is the run's own, and processes outside have no name") {
  const Yard yard;
  const auto plan = plan_of(yard);
  if (!plan) return;
  CHECK(shell(*plan, "echo mine > /tmp/mine") == 0);
  CHECK(text_of(yard.path("scratch/mine")) == "mine\n");
  CHECK(shell(*plan, "kill -0 " + std::to_string(::getpid()) + " 2>/dev/null") != 0);
  CHECK(shell(*plan, "test ! -d /proc/" + std::to_string(::getpid())) == 0);
  CHECK(shell(*plan, "test -z \"$(ls -A /dev/shm)\" && echo x > /dev/shm/x") == 0);
  CHECK(shell(*plan, "exit 7") == 7);
}

TEST_CASE("in namespaces secrets and sockets are covered") {
  const Yard yard;
  const std::string key = yard.write("home/.ssh/id_rsa", "key");
  const std::string folder = yard.write("home/.kube/config", "token");
  const std::string path = yard.path("home/s");
  const orch::base::Fd listening(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    orch::say_skipped("the build directory's path is too long for a socket");
    return;
  }
  std::strcpy(address.sun_path, path.c_str());
  REQUIRE(::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listening.get(), 1) == 0);
  const auto plan = plan_of(yard);
  if (!plan) return;
  CHECK(shell(*plan, "cat " + key + " 2>/dev/null") != 0);
  CHECK(shell(*plan, "cat " + folder + " 2>/dev/null") != 0);
  CHECK(shell(*plan, "test ! -S " + path) == 0);
  CHECK(shell(*plan, "test -z \"$(ls -A /run | grep -v resolv)\"") == 0);
}

TEST_CASE("a socket in a place of keys, as gpg-agent has one, does not keep a run from starting") {
  const Yard yard;
  yard.write("home/.gnupg/pubring.kbx", "");
  std::optional<Plan> plan = plan_of(yard);
  if (!plan) return;
  plan->sockets.push_back(yard.write("home/.gnupg/S.gpg-agent", ""));
  CHECK(shell(*plan, "test ! -e " + plan->sockets.back()) == 0);
}

TEST_CASE("in namespaces without a network there is none") {
  const Yard yard;
  const auto plan = plan_of(yard, {Network::Kind::kNone, {}, false, {}});
  if (!plan) return;
  CHECK(shell(*plan, "test \"$(grep -c : /proc/net/dev)\" = 1") == 0);  // only the loopback
}
