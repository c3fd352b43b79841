#include "repo/git_head.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "scene.h"

using orch::repo::git_head;

namespace {

std::string git_says(const Scene& scene, const std::string& folder = "") {
  return std::string(orch::base::trim(scene.sh("git rev-parse HEAD", folder)));
}

void commit(const Scene& scene) {
  scene.sh(
      "git init -q . && git config user.name a && git config user.email a@b && echo 1 > f && "
      "git add f && git commit -qm one");
}

}  // namespace

TEST_CASE("the head is what git says: loose, packed, detached, below, and on another branch") {
  if (!has_git()) return;
  const Scene scene;
  commit(scene);
  CHECK(git_head(scene.work()) == git_says(scene));
  CHECK(git_head(scene.work()).size() == 40);
  scene.sh("git pack-refs --all && ! test -e .git/refs/heads/$(git branch --show-current)");
  CHECK(git_head(scene.work()) == git_says(scene));
  scene.sh("mkdir -p a/b && git checkout -qb feature/deep && git commit -q --allow-empty -m two");
  CHECK(git_head(scene.work() + "/a/b") == git_says(scene));
  scene.sh("git checkout -q --detach HEAD~1");
  CHECK(git_head(scene.work()) == git_says(scene));
}

TEST_CASE("a linked worktree has a head of its own") {
  if (!has_git()) return;
  const Scene scene;
  commit(scene);
  const std::string tree = scene.file("tree");
  scene.sh("git worktree add -q -b other " + tree);
  scene.sh("git commit -q --allow-empty -m there", tree);
  CHECK(git_head(tree) == git_says(scene, tree));
  CHECK(git_head(tree) != git_head(scene.work()));
}

TEST_CASE("outside of git, before the first commit and in what is no repository there is no head") {
  if (!has_git()) return;
  const Scene scene;
  CHECK(git_head(scene.work()).empty());
  scene.sh("git init -q .");
  CHECK(git_head(scene.work()).empty());
  scene.sh("echo 'ref: ../../secret' > .git/HEAD");
  CHECK(git_head(scene.work()).empty());
  scene.sh("rm .git/HEAD && mkfifo .git/HEAD");
  CHECK(git_head(scene.work()).empty());
  scene.sh(
      "rm .git/HEAD && echo 'ref: refs/heads/a' > .git/HEAD && mkdir -p .git/refs/heads && "
      "echo 'ref: refs/heads/a' > .git/refs/heads/a");
  CHECK(git_head(scene.work()).empty());
}
