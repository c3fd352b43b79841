#include "store/folder_at.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "scratch.h"

using namespace orch::store;

namespace {

// A folder to work in, and a shell for it.
class Scene {
 public:
  Scene() { std::filesystem::create_directory(work()); }
  std::string file(std::string_view name) const { return folder_.file(name); }
  std::string work() const { return file("work"); }
  void sh(const std::string& script) const {
    const std::string line = "cd '" + work() + "' || exit; " + script;
    REQUIRE(std::system(line.c_str()) == 0);
  }

 private:
  ScratchFolder folder_;
};

}  // namespace

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
  CHECK(std::filesystem::is_empty(scene.work()));
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

TEST_CASE("a tree is removed with a handful of descriptors, however deep it is") {
  const Scene scene;
  scene.sh(
      "python3 -c \"import os\nfor i in range(5000):\n  os.mkdir('d'); open('f','w'); "
      "os.chdir('d')\"");
  const orch::base::Fd root = open_root(scene.work());
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few{64, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const auto removed = remove_tree(root, "d");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(removed.ok());
  CHECK(exists(scene.work() + "/f"));
  CHECK_FALSE(exists(scene.work() + "/d"));
}

TEST_CASE("a way may pass through a folder that cannot be listed, and be longer than a path") {
  const Scene scene;
  scene.sh("mkdir -p passage/inner; chmod 0111 passage");
  const orch::base::Fd root = open_root(scene.work());
  CHECK(open_below(root, "passage/inner").valid());
  scene.sh("python3 -c \"import os\nfor i in range(2000):\n  os.mkdir('deep'); os.chdir('deep')\"");
  std::string way = "deep";
  for (int i = 1; i < 2000; ++i) way += "/deep";
  CHECK(open_below(root, way).valid());
  CHECK_FALSE(open_below(root, way + "/deep").valid());
  CHECK(remove_tree(root, "deep").ok());
}
