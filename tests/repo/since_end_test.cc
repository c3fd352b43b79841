// An undo after its user has worked on in the folder since the run's end.
#include "repo/since_end.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "repo/git_index.h"
#include "repo/git_places.h"
#include "repo/way_back.h"
#include "scene.h"

namespace fs = std::filesystem;
using orch::repo::Act;
using orch::repo::UndoScope;

namespace {

std::string content_of(const Scene& scene, const std::string& name) {
  return scene.sh("cat '" + name + "' 2>/dev/null || echo none");
}

void make_small_repository(const Scene& scene) {
  scene.sh("git init -q -b main; echo one > a; echo one > b; git add .; git commit -qm first");
}

std::string way_back(const Scene& scene) {
  const auto begun = orch::repo::open_snapshot(scene.snapshot_folder());
  REQUIRE(begun);
  return orch::repo::way_back(begun->manifest, begun->bytes);
}

// Every commit that git can name: of a branch, of a tag, or in a reflog.
std::string named_commits(const Scene& scene) {
  return scene.sh("git rev-list --all --reflog --format=%s | grep -v '^commit' | sort");
}

}  // namespace

TEST_CASE("what the user changed since the run's end stays, and what the run did is undone") {
  const Scene scene;
  scene.sh("mkdir d; for f in kept edited later gone d/x; do echo one > $f; done; ln -s kept link");
  scene.snapshot();
  scene.sh("echo two > kept; echo two > edited; rm gone; ln -sfn edited link; rm -r d; echo d > d");
  scene.end_run();
  scene.sh("echo mine > edited; echo mine > later; echo mine > new");
  SECTION("without more words") {
    const auto report = scene.undo();
    CHECK(report.done.size() == 5);
    CHECK(content_of(scene, "edited") == "mine\n");
    CHECK(content_of(scene, "later") == "mine\n");
  }
  SECTION("with --later") {
    UndoScope scope;
    scope.later = true;
    scene.undo(scope);
    CHECK(content_of(scene, "edited") == "one\n");
    CHECK(content_of(scene, "later") == "one\n");
  }
  CHECK(content_of(scene, "kept") == "one\n");
  CHECK(content_of(scene, "gone") == "one\n");
  CHECK(content_of(scene, "d/x") == "one\n");
  CHECK(content_of(scene, "new") == "mine\n");
  CHECK(scene.sh("readlink link") == "kept\n");
}

TEST_CASE("a file that the user removed, or gave another mode, since the run's end stays so") {
  const Scene scene;
  scene.sh("mkdir d; echo one > a; echo one > b; echo one > d/x");
  scene.snapshot();
  scene.sh("echo two > a; echo two > b");
  scene.end_run();
  scene.sh("rm -r a d; chmod 600 b");
  CHECK(scene.undo().done.empty());
  CHECK(content_of(scene, "b") == "two\n");
  CHECK_FALSE(fs::exists(scene.work() + "/a"));
  CHECK_FALSE(fs::exists(scene.work() + "/d"));
}

TEST_CASE("a folder that the run put in the place of a file stays if the user has worked in it") {
  const Scene scene;
  scene.sh("echo one > a; echo one > b");
  scene.snapshot();
  scene.sh("rm a b; mkdir a b; echo two > a/x; echo two > b/x");
  scene.end_run();
  scene.sh("echo mine > a/mine");
  scene.undo();
  CHECK(content_of(scene, "a/mine") == "mine\n");
  CHECK(content_of(scene, "b") == "one\n");
}

TEST_CASE("an undo after the user's own commit leaves that commit on its branch") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.snapshot();
  const std::string begun = scene.sh("git rev-parse HEAD");
  const bool agent_commits = GENERATE(true, false);
  scene.sh(agent_commits ? "echo two > a; git commit -qam agent" : "echo two > a");
  const bool end_is_known = GENERATE(true, false);
  if (end_is_known) scene.end_run();
  scene.sh("echo mine > b; git add b; git commit -qm mine");
  const std::string head = scene.sh("git rev-parse HEAD"), log = scene.sh("git reflog");
  UndoScope scope;
  scope.position = UndoScope::Position::kLeftIfMoved;
  scope.later = GENERATE(false, true);
  scene.undo(scope);
  CHECK(scene.sh("git rev-parse HEAD") == head);
  CHECK(scene.sh("git reflog") == log);
  CHECK(content_of(scene, "a") == "one\n");
  const bool stays = end_is_known && !scope.later;
  CHECK(content_of(scene, "b") == (stays ? "mine\n" : "one\n"));
  // The printed command works, and no commit is lost.
  const std::string commits = named_commits(scene);
  scene.sh(way_back(scene));
  CHECK(scene.sh("git rev-parse HEAD") == begun);
  CHECK(named_commits(scene) == commits);
  CHECK(scene.sh("git diff --name-only") == (stays ? "b\n" : ""));
}

TEST_CASE("an undo brings back branches that only the run has moved") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.snapshot();
  const std::string begun = scene.sh("git rev-parse HEAD");
  scene.sh("echo two > a; git commit -qam agent; git checkout -q --detach; git add a");
  scene.end_run();
  // git looks at the files and writes its index anew, and a fetch in the background moves a remote.
  scene.sh(
      "touch a b; GIT_OPTIONAL_LOCKS=1 git status >/dev/null; mkdir -p .git/refs/remotes/origin; "
      "git rev-parse HEAD > .git/refs/remotes/origin/main; echo x > .git/FETCH_HEAD");
  scene.undo();
  CHECK(scene.sh("git rev-parse HEAD") == begun);
  CHECK(scene.sh("git branch --show-current") == "main\n");
  CHECK(scene.sh("git status --porcelain").empty());
  CHECK(way_back(scene).empty());
}

TEST_CASE("a stash, a staged file, a branch or a merge of the user's keeps git as it is") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.sh("git checkout -qb side; echo side > a; git commit -qam side; git checkout -q main");
  scene.snapshot();
  scene.sh("echo two > a; git commit -qam agent");
  scene.end_run();
  scene.sh(GENERATE("echo s > b; git stash -q", "echo s > b; git add b", "git branch new",
                    "git checkout -q side", "git merge -q side || true"));
  const std::string before = git_picture(scene);
  const std::string index = scene.sh("git ls-files --stage");
  const auto refs = scene.sh("git for-each-ref; git rev-parse HEAD; git reflog");
  UndoScope scope;
  scope.only = {scene.work() + "/.git"};
  scene.undo(scope);
  CHECK(git_picture(scene) == before);
  CHECK(scene.sh("git ls-files --stage") == index);
  CHECK(scene.sh("git for-each-ref; git rev-parse HEAD; git reflog") == refs);
}

TEST_CASE("a hook and a setting of the run's go although the user has committed since") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.snapshot();
  scene.sh("echo x > .git/hooks/post-commit; git config core.pager evil");
  scene.end_run();
  scene.sh("git commit -q --allow-empty -m mine; echo y > .git/hooks/mine");
  scene.undo();
  CHECK_FALSE(fs::exists(scene.work() + "/.git/hooks/post-commit"));
  CHECK(fs::exists(scene.work() + "/.git/hooks/mine"));
  CHECK(scene.sh("git config core.pager || echo none") == "none\n");
  CHECK(scene.sh("git log -1 --format=%s") == "mine\n");
}

TEST_CASE("an undo that was cut off in the middle of git's files is done again to its end") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  const std::string begun = scene.sh("git rev-parse HEAD; git reflog; git ls-files --stage");
  scene.snapshot();
  scene.sh("echo two > a; git commit -qam agent");
  scene.end_run();
  UndoScope part;
  part.only = {scene.work() + "/.git/refs", scene.work() + "/.git/index"};
  scene.undo(part);
  scene.undo();
  CHECK(scene.sh("git rev-parse HEAD; git reflog; git ls-files --stage") == begun);
}

TEST_CASE("a snapshot of the end shares nothing with the work folder, and has no objects") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.sh("head -c 100000 /dev/urandom > large");
  scene.snapshot();
  scene.sh("echo two > a");
  scene.end_run(0);
  CHECK_FALSE(fs::exists(scene.end_folder() + "/objects"));
  const auto inodes = [&](const std::string& folder) {
    return scene.sh("find '" + folder + "' -type f -printf '%i\\n' | sort");
  };
  CHECK(scene
            .sh("find '" + scene.work() + "' '" + scene.end_folder() +
                "' -type f -printf '%i\\n' | sort | uniq -d")
            .empty());
  // The large file is in the archive of the first one, to which the second has a link.
  CHECK(inodes(scene.end_folder()) != inodes(scene.snapshot_folder()));
  CHECK(scene.sh("du -bc '" + scene.end_folder() + "'/archive-* | wc -l") == "3\n");
}

TEST_CASE("two indexes stage the same although git has looked at the files") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  const auto index = [&scene] {
    return orch::repo::git_file(scene.work() + "/.git/index", 1 << 20).value();
  };
  const std::string before = index();
  scene.sh("touch -d '2 days ago' a b; git update-index --refresh");
  const std::string after = index();
  CHECK(before != after);
  CHECK(orch::repo::stage_the_same(before, after));
  scene.sh("echo x > a; git add a");
  CHECK_FALSE(orch::repo::stage_the_same(before, index()));
  CHECK_FALSE(orch::repo::stage_the_same("x", "y"));
  CHECK(orch::repo::stage_the_same("x", "x"));
}
