#include "fence/git_folders.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "fenced.h"

using orch::fence::git_folders_of;
using Paths = std::vector<std::string>;

TEST_CASE("a repository of its own needs nothing outside") {
  const Yard yard;
  yard.write("work/.git/HEAD", "ref: refs/heads/main\n");
  CHECK(git_folders_of(yard.path("work")).empty());
}

TEST_CASE("a folder within a repository needs the repository's") {
  const Yard yard;
  yard.write("work/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("work/sub/file", "");
  CHECK(git_folders_of(yard.path("work/sub")) == Paths{yard.path("work/.git")});
}

TEST_CASE("a linked worktree needs its own folder and the common one") {
  const Yard yard;
  const std::string git = yard.path("out/.git");
  yard.write("out/.git/HEAD", "ref: refs/heads/main\n");
  yard.write("out/.git/objects/info", "");
  yard.write("out/.git/refs/heads/main", "");
  yard.write("out/.git/worktrees/work/gitdir", yard.path("work/.git") + "\n");
  yard.write("out/.git/worktrees/work/commondir", "../..\n");
  yard.write("work/.git", "gitdir: " + git + "/worktrees/work\n");
  CHECK(git_folders_of(yard.path("work")) == Paths{git + "/worktrees/work", git});
}

TEST_CASE("a submodule needs its folder in the repository around it") {
  const Yard yard;
  const std::string git = yard.path("out/.git/modules/work");
  yard.write("out/.git/modules/work/config", "[core]\n\tworktree = ../../../../work\n");
  yard.write("work/.git", "gitdir: ../out/.git/modules/work\n");
  CHECK(git_folders_of(yard.path("work")) == Paths{git});
}

TEST_CASE("a .git file that leads elsewhere is not believed") {
  const Yard yard;
  yard.write("home/.ssh/id_ed25519", "key");
  yard.write("work/.git", "gitdir: " + yard.path("home/.ssh") + "\n");
  CHECK(git_folders_of(yard.path("work")).empty());

  // The folder of another worktree.
  yard.write("out/.git/worktrees/theirs/gitdir", yard.path("home/theirs/.git") + "\n");
  yard.write("out/.git/worktrees/theirs/commondir", "../..\n");
  yard.write("work/.git", "gitdir: " + yard.path("out/.git/worktrees/theirs") + "\n");
  CHECK(git_folders_of(yard.path("work")).empty());

  // A folder that names this worktree, but shares a folder that is not above it.
  yard.write("work/own/gitdir", yard.path("work/.git") + "\n");
  yard.write("work/own/commondir", yard.path("home") + "\n");
  yard.write("work/.git", "gitdir: own\n");
  CHECK(git_folders_of(yard.path("work")) == Paths{yard.path("work/own")});
}

TEST_CASE("a work folder that calls itself a worktree of what is around it gets nothing of that") {
  const Yard yard;
  yard.write("home/.bashrc", "");
  const std::string work = yard.path("home/worktrees/mine");
  yard.write("home/worktrees/mine/.git", "gitdir: .\n");
  yard.write("home/worktrees/mine/gitdir", ".git\n");
  yard.write("home/worktrees/mine/commondir", "../..\n");
  CHECK(git_folders_of(work).empty());
  // The same if a folder above it looks like a repository.
  yard.write("home/HEAD", "ref: refs/heads/main\n");
  yard.write("home/objects/info", "");
  yard.write("home/refs/heads/main", "");
  CHECK(git_folders_of(work).empty());
  // The worktree's own folder elsewhere does not make home a repository.
  yard.write("out/worktrees/mine/gitdir", work + "/.git\n");
  yard.write("out/worktrees/mine/commondir", "../..\n");
  yard.write("home/worktrees/mine/.git", "gitdir: " + yard.path("out/worktrees/mine") + "\n");
  CHECK(git_folders_of(work) == Paths{yard.path("out/worktrees/mine")});
}

TEST_CASE("a .git that is a link is not followed") {
  const Yard yard;
  yard.write("home/repository/HEAD", "");
  std::filesystem::create_symlink(yard.path("home/repository"), yard.path("work/.git"));
  CHECK(git_folders_of(yard.path("work")) == git_folders_of(yard.path("")));
}
