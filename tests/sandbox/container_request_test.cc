#include "sandbox/container_request.h"

#include <stdlib.h>  // mkdtemp
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fd.h"

namespace orch::sandbox {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Engine kDocker{EngineKind::kDocker, "/usr/bin/docker", false};

class Folder {
 public:
  Folder() {
    std::string path = "/tmp/orch-wish-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    path_ = fs::canonical(path).string();
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string refusal(const std::string& text) {
  const base::Result<Mount> mount = parse_mount(text);
  return mount ? "" : mount.error().text;
}

bool has_pair(const Words& words, const std::string& first, const std::string& second) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == first && words[i + 1] == second) return true;
  }
  return false;
}

TEST_CASE("a mount is a place here and a place there; the last colon tells them apart") {
  const Folder folder;
  const std::string odd = folder.path() + "/a:b,c \"d\"";
  fs::create_directory(odd);
  const base::Result<Mount> mount = parse_mount(odd + ":/data:ro");
  REQUIRE(mount.ok());
  CHECK(*mount == Mount{odd, "/data", true});
  CHECK_FALSE(parse_mount(folder.path() + ":/data")->read_only);
}

TEST_CASE("a mount that says too little, too much or a daemon's socket is refused by name") {
  const Folder folder;
  const std::string& here = folder.path();
  CHECK(refusal(here).find("write SRC:DST") != std::string::npos);
  CHECK(refusal(here + "/none:/x").find("no such file") != std::string::npos);
  for (const char* target : {"x", "/", "/a/../b", "/proc", "/dev/shm", "/run/orch/login"}) {
    CAPTURE(target);
    CHECK_FALSE(refusal(here + ":" + target).empty());
  }
  CHECK(refusal(here + ":/workspace/project").find("work directory") != std::string::npos);
  CHECK(refusal(here + ":/workspace").find("work directory") != std::string::npos);

  const std::string socket = here + "/daemon.sock";
  const base::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(refusal(socket + ":/s").find("is a socket") != std::string::npos);
  ::setenv("DOCKER_HOST", ("unix://" + socket).c_str(), 1);
  CHECK(refusal(here + ":/s").find("holds the socket of a daemon") != std::string::npos);
  CHECK_FALSE(check_work(here).ok());
  ::unsetenv("DOCKER_HOST");
  CHECK(check_work(here).ok());
}

TEST_CASE("a container has no capability, no new privilege, a user and its limits") {
  ContainerRequest wanted;
  wanted.image = "debian:12";
  wanted.network = "none";
  wanted.work = "/home/me/a,b";
  wanted.user = 1000;
  wanted.group = 100;
  wanted.limits = {"512m", "1.5", 77};
  wanted.mounts = {{"/cache", "/cache", true}};
  wanted.logins = {{"/home/me/.codex/auth.json", "/home/agent/.codex/auth.json", true}};
  wanted.labels = {{"orch.run", "r1"}};
  wanted.shown = {{"/state/shown", "/run/orch/calls", true}};
  const Words words =
      run_words(kDocker, wanted, {"orch-7-abc", "1:2:3:b:h:m", "codex", "/state/id"});
  CHECK(has_pair(words, "--cap-drop", "ALL"));
  CHECK(has_pair(words, "--security-opt", "no-new-privileges"));
  CHECK(has_pair(words, "--user", "1000:100"));
  CHECK(has_pair(words, "--network", "none"));
  CHECK(has_pair(words, "--memory", "512m"));
  CHECK(has_pair(words, "--cpus", "1.5"));
  CHECK(has_pair(words, "--pids-limit", "77"));
  CHECK(has_pair(words, "--pull", "never"));
  CHECK(has_pair(words, "--label", "orch.owner=1:2:3:b:h:m"));
  CHECK(has_pair(words, "--label", "orch.work=/home/me/a,b"));
  CHECK(has_pair(words, "--mount", R"("type=bind","src=/home/me/a,b","dst=/workspace/project")"));
  CHECK(has_pair(words, "--mount", R"("type=bind","src=/cache","dst=/cache",readonly)"));
  CHECK(
      has_pair(words, "--mount",
               R"("type=bind","src=/home/me/.codex/auth.json","dst=/run/orch/login/0",readonly)"));
  CHECK(has_pair(words, "--cidfile", "/state/id"));
  CHECK(has_pair(words, "--mount",
                 R"("type=bind","src=/state/shown","dst=/run/orch/calls",readonly)"));
  CHECK(Words(words.end() - 4, words.end()) ==
        Words{"codex", "", "/run/orch/login/0", "/home/agent/.codex/auth.json"});
}

TEST_CASE("a rootless engine's own user is root in its containers, or keeps the number in podman") {
  ContainerRequest wanted;
  wanted.user = wanted.group = 1000;
  const Start start{"n", "o", "sh"};
  CHECK(has_pair(run_words({EngineKind::kDocker, "docker", true}, wanted, start), "--user", "0:0"));
  const Words podman = run_words({EngineKind::kPodman, "podman", true}, wanted, start);
  CHECK(has_pair(podman, "--userns", "keep-id"));
  CHECK(has_pair(podman, "--user", "1000:1000"));
}

TEST_CASE("what is given to the client as it is has a form") {
  CHECK(csv_field("a\"b") == "\"a\"\"b\"");
  CHECK(check_image_name("ghcr.io/me/agent:1.2@sha256:00").ok());
  for (const char* image : {"", "-v", "a b", "a;b"}) CHECK_FALSE(check_image_name(image).ok());
  for (const char* network : {"none", "bridge", "host", "my-net"}) {
    CHECK(check_network(network).ok());
  }
  for (const char* network : {"443", "443,udp", "container:x", ""}) {
    CHECK_FALSE(check_network(network).ok());
  }
  CHECK(check_limits({"512m", "1.5", 0}).ok());
  CHECK_FALSE(check_limits({"lots", "", 0}).ok());
  CHECK_FALSE(check_limits({"", "-1", 0}).ok());
  CHECK_FALSE(check_limits({"", "", -3}).ok());
  CHECK_FALSE(check_container_name("--privileged").ok());
}

}  // namespace
}  // namespace orch::sandbox
