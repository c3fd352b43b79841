#include "setup/version_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "loop/loop.h"
#include "loop/timer.h"
#include "scene.h"
#include "setup/versions.h"

using namespace orch::setup;
using orch::adapters::LaunchPlan;
using orch::adapters::Manifest;

namespace {

// An agent called toy: a script in the scene's folder of programs, which is the whole PATH. Each
// time that it is asked for its version it adds a line to the file "asked".
class Toy {
 public:
  explicit Toy(const std::string& says) {
    scene.set("XDG_CACHE_HOME", scene.file("cache"));
    install(says);
    manifest.name = "toy";
    manifest.tested = "1.2.0";
    manifest.program = {"toy"};
    manifest.version = {"--version"};
  }

  void install(const std::string& says) const {
    const std::string path = scene.file("bin/toy");
    ::unlink(path.c_str());
    scene.write("bin/toy", "#!/bin/sh\necho x >> '" + scene.file("asked") + "'\n" + says + "\n");
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
  }

  std::string version(int64_t patience_ms = VersionQuestion::kWaitedFor.patience_ms) const {
    const KnownVersion known = known_version(manifest, launch, scene.repository(), writable);
    if (!known.to_ask) return known.version;
    orch::loop::Loop loop;
    std::string version = "(none)";
    const VersionQuestion question(loop, *known.to_ask, {.patience_ms = patience_ms},
                                   [&](std::string answer) {
                                     version = std::move(answer);
                                     loop.stop();
                                   });
    loop.run();
    return version;
  }

  uintmax_t times_asked() const {
    std::error_code failure;
    const uintmax_t bytes = std::filesystem::file_size(scene.file("asked"), failure);
    return failure ? 0 : bytes / 2;
  }

  Scene scene;
  Manifest manifest;
  LaunchPlan launch{{"toy", "--plain"}, {}};
  std::vector<std::string> writable;
};

Binary binary(const std::string& file, int64_t size) { return {{file, "--version"}, size, 1, 2}; }

}  // namespace

TEST_CASE("a program is asked for its version once, and again when another takes its place") {
  const Toy toy("echo toy 1.2.3");
  CHECK(toy.version() == "1.2.3");
  CHECK(toy.version() == "1.2.3");
  CHECK(toy.times_asked() == 1);
  toy.install("echo toy 1.2.4");  // a file of the same size
  CHECK(toy.version() == "1.2.4");
  CHECK(toy.version() == "1.2.4");
  CHECK(toy.times_asked() == 2);
}

TEST_CASE("a program that says no version in time is not asked again at once") {
  const Toy toy("exec /bin/sleep 1000");
  CHECK(toy.version(100).empty());
  CHECK(toy.version(100).empty());
  CHECK(toy.times_asked() == 1);
  toy.install("echo 2.0");
  CHECK(toy.version() == "2.0");
}

TEST_CASE("an answer that comes after its time is not heard") {
  const Toy toy("/bin/sleep 0.3; echo 1.2.3");
  const KnownVersion known = known_version(toy.manifest, toy.launch, toy.scene.repository(), {});
  REQUIRE(known.to_ask);
  orch::loop::Loop loop;
  std::vector<std::string> answers;
  const VersionQuestion question(
      loop, *known.to_ask, {.patience_ms = 50},
      [&answers](std::string answer) { answers.push_back(std::move(answer)); });
  orch::loop::Timer end(loop);
  end.start(1'000, [&loop] { loop.stop(); });
  loop.run();
  CHECK(answers == std::vector<std::string>{""});
}

TEST_CASE("whatever a program prints, its version is a dotted number or nothing") {
  CHECK(Toy("printf '\\033[1m\\033]0;title 9.9\\007toy\\033[31m1.2.3\\033[0m\\n'").version() ==
        "1.2.3");
  CHECK(Toy("echo 3.4.5; exec /usr/bin/head -c 10000000 /dev/zero").version() == "3.4.5");
  CHECK(Toy("/usr/bin/head -c 10000000 /dev/zero; echo 3.4.5").version().empty());
  CHECK(Toy("echo none to be seen").version().empty());
  CHECK(Toy("echo warning of 7.7 >&2; echo 1.0.1").version() == "1.0.1");
  CHECK(Toy("echo 1.0.2 >&2").version() == "1.0.2");
}

TEST_CASE("one that fails tells of something else, as node does of itself") {
  CHECK(Toy("echo Node.js v18.19.1; exit 1").version().empty());
  CHECK(Toy("echo 1.2.3; kill -9 $$").version().empty());
}

TEST_CASE("it is asked without a terminal, with its input at the end, and by its own argument") {
  CHECK(Toy("read word; echo 1.$?.0").version() == "1.1.0");
  CHECK(Toy("test -t 1 || echo 5.$#.0").version() == "5.1.0");
  CHECK(Toy("test \"$1\" = --version && echo 6.0").version() == "6.0");
}

TEST_CASE("the program is the one that the launch finds") {
  Toy toy("echo 1.0");
  const std::string other = toy.scene.write("other/toy", "#!/bin/sh\necho 2.0\n");
  REQUIRE(::chmod(other.c_str(), 0755) == 0);
  toy.launch.env["PATH"] = toy.scene.file("other");
  CHECK(toy.version() == "2.0");
  toy.launch.env.clear();
  const std::string relative = toy.scene.write("repository/tools/toy", "#!/bin/sh\necho 3.0\n");
  REQUIRE(::chmod(relative.c_str(), 0755) == 0);
  toy.launch.argv = {"tools/toy"};
  CHECK(toy.version() == "3.0");
  toy.launch.argv = {"missing"};
  CHECK(toy.version().empty());
}

TEST_CASE("what an agent in a fence may have left behind is not run outside of it") {
  Toy toy("echo 1.0");
  toy.writable = {toy.scene.file("bin")};
  CHECK(toy.version().empty());
  CHECK(toy.times_asked() == 0);
}

TEST_CASE("a cache that is broken, or of someone who may not write, costs a question and no more") {
  const Toy toy("echo 1.2.3");
  for (const char* text : {"", "{", "[]", R"({"binaries": 7})", R"({"binaries": [7]})",
                           R"({"binaries": [{"command": [], "size": -1}]})"}) {
    toy.scene.write("cache/orch/versions.json", text);
    CHECK(toy.version() == "1.2.3");
  }
  CHECK(toy.times_asked() == 6);
  std::filesystem::remove_all(toy.scene.file("cache"));
  toy.scene.write("cache", "a file where a folder should be");
  CHECK(toy.version() == "1.2.3");
  CHECK(toy.version() == "1.2.3");
  CHECK(toy.times_asked() == 8);
}

TEST_CASE("answers come back from the file as they were, but for those that are no versions") {
  VersionCache cache;
  cache.keep(binary("/a", 1), {"1.2.3", 99});
  cache.keep(binary("/b", 1), {"", 7});
  cache.keep(binary("/c", 1), {"1.2\x1b[31m", 7});
  const VersionCache read = VersionCache::parse(cache.to_json());
  REQUIRE(read.find(binary("/a", 1)) != nullptr);
  CHECK(read.find(binary("/a", 1))->version == "1.2.3");
  CHECK(read.find(binary("/a", 1))->asked_ms == 99);
  REQUIRE(read.find(binary("/b", 1)) != nullptr);
  CHECK(read.find(binary("/a", 2)) == nullptr);
  CHECK(read.find(binary("/c", 1)) == nullptr);
}

TEST_CASE("a cache holds one answer for each program, and the newest of many") {
  VersionCache cache;
  cache.keep(binary("/a", 1), {"1.0", 0});
  cache.keep(binary("/a", 2), {"2.0", 0});
  CHECK(cache.find(binary("/a", 1)) == nullptr);
  for (size_t i = 0; i < VersionCache::kMostBinaries; ++i) {
    cache.keep(binary("/b" + std::to_string(i), 1), {"1.0", 0});
  }
  CHECK(cache.find(binary("/a", 2)) == nullptr);
  CHECK(cache.find(binary("/b0", 1)) != nullptr);
}

TEST_CASE("an agent newer than its rules is told of, one that is as old or older is not") {
  const Toy toy("");
  CHECK(newer_note(toy.manifest, "1.2.1").find("toy 1.2.1 is newer than 1.2.0") == 0);
  CHECK(newer_note(toy.manifest, "1.2.0").empty());
  CHECK(newer_note(toy.manifest, "1.1.9").empty());
  CHECK(newer_note(toy.manifest, "").empty());
}
