#include "repo/openings.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "scene.h"
#include "store/folder_at.h"

using orch::repo::Openings;
using orch::store::open_root;

TEST_CASE("what was opened up is closed in the end, or gets the mode that is said") {
  const Scene scene;
  scene.sh("mkdir -p a/b; chmod 0111 a/b; chmod 0000 a");
  const std::string a = scene.work() + "/a";
  {
    auto openings = Openings::begin("");
    REQUIRE(openings.ok());
    REQUIRE(openings->open_up(open_root(scene.work()), "a", a, 0700).ok());
    REQUIRE(openings->open_up(open_root(a), "b", a + "/b", 0700).ok());
    CHECK(mode_of(a) == 0700);
    CHECK(mode_of(a + "/b") == 0711);
    CHECK(openings->modes_before().at(a + "/b") == 0111);
    openings->settle(a, 0750);
  }
  CHECK(mode_of(a) == 0750);
  CHECK(mode_of(a + "/b") == 0111);
}

TEST_CASE("what a killed process left open is known for what it was, unless it was changed") {
  const Scene scene;
  scene.sh("mkdir -p a b; chmod 0111 a; chmod 0500 b");
  const std::string journal = scene.file("journal");
  const pid_t child = ::fork();
  if (child == 0) {
    auto openings = Openings::begin(journal);
    const auto root = open_root(scene.work());
    (void)openings->open_up(root, "a", scene.work() + "/a", 0700);
    (void)openings->open_up(root, "b", scene.work() + "/b", 0700);
    ::_exit(0);
  }
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(mode_of(scene.work() + "/a") == 0711);
  scene.sh("chmod 0705 b");  // another program does that
  auto openings = Openings::begin(journal);
  REQUIRE(openings.ok());
  CHECK(openings->modes_before().size() == 1);
  CHECK(openings->modes_before().at(scene.work() + "/a") == 0111);
  CHECK(openings->close().empty());
  CHECK(mode_of(scene.work() + "/a") == 0111);
  CHECK(mode_of(scene.work() + "/b") == 0705);
  CHECK_FALSE(std::filesystem::exists(journal));
}

TEST_CASE("a journal that was torn tells of what stands in it whole") {
  const Scene scene;
  scene.sh("mkdir a; printf '73\\0448\\00' > ../journal");
  auto openings = Openings::begin(scene.file("journal"));
  REQUIRE(openings.ok());
  CHECK(openings->modes_before().empty());
}
