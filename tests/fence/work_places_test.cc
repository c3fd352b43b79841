// What git keeps elsewhere is believed only once: when a person first sends an agent to a folder.
#include "fence/work_places.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <filesystem>

#include "fenced.h"

namespace fs = std::filesystem;
using orch::fence::WorkPlaces;
using Paths = std::vector<std::string>;

TEST_CASE("a nested repository that is removed does not open the one around it") {
  const Yard yard;
  const WorkPlaces places(yard.path("state"));
  yard.write("work/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("work/nested/.git/HEAD", "ref: refs/heads/main\n");
  const std::string nested = yard.path("work/nested");
  CHECK(places.remember_git_folders(nested).value().empty());
  fs::remove_all(nested + "/.git");
  const auto now = places.git_folders(nested);
  REQUIRE_FALSE(now);
  CHECK(now.error().text.find(yard.path("work/.git")) != std::string::npos);
  CHECK(now.error().text.find("orch trust --git " + nested) != std::string::npos);
  REQUIRE(places.accept_git_folders(nested));
  CHECK(places.git_folders(nested).value() == Paths{yard.path("work/.git")});
}

TEST_CASE("fewer folders of git than before are a matter of course") {
  const Yard yard;
  const WorkPlaces places(yard.path("state"));
  yard.write("work/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("work/sub/file", "");
  CHECK(places.remember_git_folders(yard.path("work/sub")).value() ==
        Paths{yard.path("work/.git")});
  yard.write("work/sub/.git/HEAD", "ref: refs/heads/main\n");
  CHECK(places.git_folders(yard.path("work/sub")).value().empty());
}

TEST_CASE("a place holds what lies in it, and is forgotten once it is gone and old") {
  const Yard yard;
  const WorkPlaces places(yard.path("state"));
  REQUIRE(places.remember_git_folders(yard.path("work")));
  REQUIRE(places.remember(yard.path("out")));
  CHECK(places.holding(yard.path("work/.venv/bin/git")).value() == yard.path("work"));
  CHECK(places.holding(yard.path("out")).value() == yard.path("out"));
  CHECK(places.holding(yard.path("workshop/git")).is_absent());
  CHECK(places.holding("/usr/bin/git").is_absent());
  fs::remove_all(yard.path("out"));
  places.forget_gone(0);
  CHECK(places.holding(yard.path("out")).value() == yard.path("out"));
  places.forget_gone(std::time(nullptr) + 10);
  CHECK(places.holding(yard.path("out")).is_absent());
  CHECK(places.holding(yard.path("work")).value() == yard.path("work"));
}

TEST_CASE("a place that cannot be read is no place that may be believed") {
  const Yard yard;
  const WorkPlaces places(yard.path("state"));
  REQUIRE(places.remember_git_folders(yard.path("work")));
  for (const auto& entry : fs::directory_iterator(yard.path("state/places"))) {
    yard.write("state/places/" + entry.path().filename().string(), "{");
  }
  CHECK_FALSE(places.git_folders(yard.path("work")));
}

TEST_CASE("what an agent made of a folder of its own opens nothing around that at the first look") {
  const Yard yard;
  const WorkPlaces places(yard.path("state"));
  yard.write("work/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("work/nested/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("work/nested/sub/file", "");
  const std::string sub = yard.path("work/nested/sub");
  REQUIRE(places.remember_git_folders(yard.path("work/nested")));
  CHECK(places.git_folders(sub).value() == Paths{yard.path("work/nested/.git")});
  fs::rename(yard.path("work/nested/.git"), yard.path("work/nested/git"));
  const auto now = places.git_folders(sub);
  REQUIRE_FALSE(now);
  CHECK(now.error().text.find("orch trust --git " + sub) != std::string::npos);
  REQUIRE(places.accept_git_folders(sub));
  CHECK(places.git_folders(sub).value() == Paths{yard.path("work/.git")});
}

TEST_CASE("a folder below one whose repository is known needs no question") {
  const Yard yard;
  const WorkPlaces places(yard.path("state"));
  yard.write("work/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("work/sub/inner/file", "");
  REQUIRE(places.remember_git_folders(yard.path("work/sub")));
  CHECK(places.git_folders(yard.path("work/sub/inner")).value() == Paths{yard.path("work/.git")});
}
