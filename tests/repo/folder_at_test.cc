#include "repo/folder_at.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "scene.h"

using namespace orch::repo;

TEST_CASE("a folder is reached by its own names alone") {
  const Scene scene;
  scene.sh(
      "mkdir -p a/b/c ../other/b/c; touch a/file; ln -s ../other link; ln -s ../../other a/up; "
      "ln -s b a/sideways");
  const orch::base::Fd root = open_root(scene.work());
  REQUIRE(root.valid());
  for (const char* way : {"", "a", "a/b", "a/b/c", "/a/b"}) {
    INFO(way);
    CHECK(open_below(root, way).valid());
  }
  for (const char* way : {"link", "link/b", "link/b/c", "a/up", "a/up/b/c", "a/sideways",
                          "a/sideways/c", "..", "a/../../other", "a/file", "a/none"}) {
    INFO(way);
    CHECK_FALSE(open_below(root, way).valid());
  }
  CHECK_FALSE(open_root(scene.work() + "/link").valid());
  CHECK_FALSE(open_root(scene.work() + "/link/b").valid());
}

TEST_CASE("a tree is removed with closed folders in it, and links are not followed") {
  const Scene scene;
  scene.sh(
      "mkdir -p gone/a/b ../other; touch gone/a/b/c ../other/mine; ln -s ../../other gone/link; "
      "ln -s ../other top; mkfifo gone/pipe; chmod 000 gone/a/b gone");
  const orch::base::Fd root = open_root(scene.work());
  for (const char* name : {"gone", "top", "never"}) CHECK(remove_tree(root, name).ok());
  CHECK(picture(scene.work()).empty());
  CHECK(std::filesystem::exists(scene.file("other/mine")));
}

TEST_CASE("a mode is set where even its owner may not look, and never through a link") {
  const Scene scene;
  scene.sh("mkdir closed; chmod 000 closed; touch ../mine; chmod 600 ../mine; ln -s ../mine link");
  const orch::base::Fd root = open_root(scene.work());
  CHECK(set_mode(root, "closed", 0750));
  struct stat info {};
  REQUIRE(::stat((scene.work() + "/closed").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0750);
  CHECK_FALSE(set_mode(root, "link", 0777));
  REQUIRE(::stat(scene.file("mine").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}
