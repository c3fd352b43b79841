// Who may have written a file: the user, orch, an agent, or nobody knows who.
#include "base/author.h"

#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using namespace orch::base;

namespace {

// A place with a project, in which agents work, and a state directory that remembers others.
class Ground {
 public:
  Ground() {
    std::string made = (fs::current_path() / "ground-XXXXXX").string();
    path_ = fs::canonical(::mkdtemp(made.data())).string();
    for (const char* name : {"project/src", "home", "state/runs", "state/places", "former/deep"}) {
      fs::create_directories(path(name));
    }
    know_state_dir(path("state"));
    know_folder_of_agents(path("project"));
    remember("former");
  }
  ~Ground() {
    know_nothing();
    fs::remove_all(path_);
  }
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  void remember(const std::string& name) const {
    struct stat info {};
    REQUIRE(::stat(path(name).c_str(), &info) == 0);
    std::ofstream(record_of_place(path("state"), path(name)))
        << "{\"path\":\"" << path(name) << "\",\"device\":" << info.st_dev
        << ",\"inode\":" << info.st_ino << "}";
  }
  Author author(const std::string& name) const { return who_may_have_written(path(name)).author; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("an agent may have written what lies where one works or has worked, be it there or not") {
  const Ground ground;
  CHECK(ground.author("project") == Author::kAgent);
  CHECK(ground.author("project/src/none") == Author::kAgent);
  CHECK(who_may_have_written(ground.path("project/x")).folder == ground.path("project"));
  CHECK(ground.author("former/deep/x") == Author::kAgent);
  CHECK(folder_of_agents(ground.path("former/deep")) == ground.path("former"));
  CHECK(ground.author("home/x") == Author::kUser);
  CHECK(folder_of_agents(ground.path("home/x")).empty());
  CHECK(ground.author("projects") == Author::kUser);
  fs::remove(record_of_place(ground.path("state"), ground.path("former")));
  CHECK(ground.author("former/x") == Author::kUser);
}

TEST_CASE("what a folder .orch holds was written by a repository's author") {
  const Ground ground;
  CHECK(ground.author("home/clone/.orch/rules.json") == Author::kAgent);
  CHECK(ground.author("home/.orch") == Author::kUser);
}

TEST_CASE("the state directory is orch's, wherever it lies, but not an agent's folder in it") {
  const Ground ground;
  CHECK(ground.author("state/runs/1/result.json") == Author::kOrch);
  fs::create_directories(ground.path("state/worktrees/1"));
  ground.remember("state/worktrees/1");
  CHECK(ground.author("state/worktrees/1/x") == Author::kAgent);
  fs::create_directories(ground.path("project/state"));
  know_state_dir(ground.path("project/state"));
  CHECK(ground.author("project/state/runs/1") == Author::kOrch);
  CHECK(ground.author("project/src") == Author::kAgent);
}

TEST_CASE("what others can write, or replace, is nobody's in particular") {
  const Ground ground;
  fs::create_directories(ground.path("home/open"));
  ::chmod(ground.path("home/open").c_str(), 0777);
  CHECK(ground.author("home/open/x") == Author::kUnknown);
  CHECK(ground.author("home/open/deep/x") == Author::kUnknown);
  ::chmod(ground.path("home/open").c_str(), 01777);
  CHECK(ground.author("home/open/none") == Author::kUnknown);
  std::ofstream(ground.path("home/open/mine")) << "x";
  ::chmod(ground.path("home/open/mine").c_str(), 0644);
  CHECK(ground.author("home/open/mine") == Author::kUser);
  ::chmod(ground.path("home/open/mine").c_str(), 0666);
  CHECK(ground.author("home/open/mine") == Author::kUnknown);
  CHECK(who_may_have_written("/dev/null").author == Author::kUser);
  CHECK(who_may_have_written("/usr/bin/env").author == Author::kUser);
}

TEST_CASE("another user's file or folder is theirs") {
  if (::geteuid() != 0) return;  // only root can give a file away
  const Ground ground;
  std::ofstream(ground.path("home/theirs")) << "x";
  REQUIRE(::chown(ground.path("home/theirs").c_str(), 12345, 12345) == 0);
  CHECK(ground.author("home/theirs") == Author::kUnknown);
  fs::create_directories(ground.path("home/folder/in"));
  REQUIRE(::chown(ground.path("home/folder").c_str(), 12345, 12345) == 0);
  CHECK(ground.author("home/folder/in/x") == Author::kUnknown);
}

TEST_CASE("a folder of agents that cannot be read is not missing") {
  const Ground ground;
  CHECK(ground.author("home/x") == Author::kUser);
  const std::string record = ground.path("state/places/0123.json");
  fs::create_symlink(record, record);
  CHECK(ground.author("home/x") == Author::kAgent);
  fs::remove(record);
  CHECK(ground.author("home/x") == Author::kUser);
}

TEST_CASE("a folder of agents is known by every name that it is mounted under") {
  const Ground ground;
  fs::create_directories(ground.path("home/again"));
  if (::mount(ground.path("former").c_str(), ground.path("home/again").c_str(), nullptr, MS_BIND,
              nullptr) != 0) {
    return;  // only root can
  }
  const Author author = ground.author("home/again/deep/x");
  ::umount2(ground.path("home/again").c_str(), MNT_DETACH);
  CHECK(author == Author::kAgent);
}
