// The possible places of a work directory and its repository.
#include <catch2/catch.hpp>
#include <filesystem>

#include "repo/git_places.h"
#include "scene.h"

namespace fs = std::filesystem;

namespace {

const char* const kWipeAll = "find . -mindepth 1 -delete";

void check_undone(const Scene& scene, const std::string& work, const std::string& wipe) {
  const auto tree = picture(work);
  const std::string git = git_picture(scene, work);
  scene.snapshot(work);
  scene.sh(wipe, work);
  scene.undo();
  CHECK(picture(work) == tree);
  CHECK(git_picture(scene, work) == git);
}

}  // namespace

TEST_CASE("a directory without git") {
  const Scene scene;
  scene.sh("mkdir -p a/b empty; echo x > a/b/c; echo y > .env; ln -s a l; chmod 500 a/b");
  const auto tree = picture(scene.work());
  scene.snapshot();
  scene.sh("chmod -R u+w .; find . -mindepth 1 -delete");
  scene.undo();
  CHECK(picture(scene.work()) == tree);
}

TEST_CASE("an empty directory, and one that is gone") {
  const Scene scene;
  scene.snapshot();
  scene.sh("rmdir work", scene.file(""));
  scene.undo();
  CHECK(fs::is_directory(scene.work()));
}

TEST_CASE("repositories of every format and state") {
  if (!has_git()) return;
  const Scene scene;
  SECTION("no commits yet") {
    scene.sh("git init -q -b main; echo a > a; git add a; echo b > b");
    check_undone(scene, scene.work(), "git add -A; git commit -qm first; git rm -qf a b");
  }
  SECTION("no commits yet, all gone") {
    scene.sh("git init -q -b main; echo a > a; git add a; echo b > b");
    check_undone(scene, scene.work(), kWipeAll);
  }
  SECTION("SHA-256") {
    scene.sh(
        "git init -q --object-format=sha256; echo a > a; git add a; git commit -qm 1; echo b > a");
    check_undone(scene, scene.work(), kWipeAll);
  }
  SECTION("index version 4") {
    make_repository(scene);
    scene.sh("git update-index --index-version 4");
    check_undone(scene, scene.work(), kWipeAll);
  }
  SECTION("split index") {
    make_repository(scene);
    scene.sh("git update-index --split-index; echo new > new; git add new");
    check_undone(scene, scene.work(), kWipeAll);
  }
  SECTION("line ends are changed on the way into git") {
    scene.sh(
        "git init -q; echo '* text eol=crlf' > .gitattributes; printf 'a\\r\\n' > a; git add -A; "
        "git commit -qm 1; printf 'mixed\\n\\r\\n' > b");
    check_undone(scene, scene.work(), "git rm -rqf .; rm -f b");
  }
  SECTION("sparse checkout") {
    make_repository(scene);
    scene.sh("git stash -qu; git sparse-checkout set src");
    check_undone(scene, scene.work(), "rm -rf src .git/info; git read-tree HEAD");
  }
  SECTION("in the middle of a rebase") {
    make_repository(scene);
    scene.sh("git add -A; git commit -qm x; git rebase -q side || true; test -d .git/rebase-merge");
    check_undone(scene, scene.work(),
                 "git rebase --quit; git reset -q --hard; rm -rf src; git clean -fdxq");
  }
  SECTION("in the middle of a merge") {
    make_repository(scene);
    scene.sh("git add -A; git commit -qm x; git merge -q side || true; test -f .git/MERGE_HEAD");
    check_undone(scene, scene.work(), "git reset -q --hard; git clean -fdxq");
  }
}

TEST_CASE("an index comes back with its time, by which git doubts the files of that moment") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh(
      "git init -q; git config core.trustctime false; git config core.checkStat minimal; "
      "echo aaaa > f; touch -d 2020-01-01 f; git add f; git commit -qm 1; echo bbbb > f; "
      "touch -d 2020-01-01 f .git/index");
  const std::string status = scene.sh("git status --porcelain");
  REQUIRE(status == " M f\n");
  scene.snapshot();
  scene.sh("rm .git/index");
  scene.undo();
  CHECK(scene.sh("git status --porcelain") == status);
}

TEST_CASE("a nested repository and a submodule come back with their own git") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  scene.sh("git init -q ../lib; cd ../lib; echo l > l; git add l; git commit -qm lib");
  scene.sh(
      "git -c protocol.file.allow=always submodule --quiet add $PWD/../lib sub; git init -q "
      "nested; "
      "cd nested; echo n > n; git add n; git commit -qm n; echo changed >> n");
  const std::string sub = git_picture(scene, scene.work() + "/sub");
  const std::string nested = git_picture(scene, scene.work() + "/nested");
  check_undone(scene, scene.work(), kWipeAll);
  CHECK(git_picture(scene, scene.work() + "/sub") == sub);
  CHECK(git_picture(scene, scene.work() + "/nested") == nested);
}

TEST_CASE("a submodule as the work directory: its git directory is the outer one's") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  scene.sh("git init -q ../lib; cd ../lib; echo l > l; git add l; git commit -qm lib");
  scene.sh(
      "git -c protocol.file.allow=always submodule --quiet add $PWD/../lib sub; echo m >> sub/l");
  check_undone(scene, scene.work() + "/sub",
               "git reset -q --hard; rm -rf ../.git/modules/sub; find . -mindepth 1 -delete");
}

TEST_CASE("a subdirectory: what is outside of it is not ours but git's directory is") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  const std::string src = scene.work() + "/src";
  scene.snapshot(src);
  const auto tree = picture(src);
  const std::string git = git_picture(scene);
  scene.sh("echo mine > ../unrelated; rm -rf ./* ../.git", src);
  scene.undo();
  CHECK(picture(src) == tree);
  CHECK(fs::exists(scene.work() + "/unrelated"));
  scene.sh("rm unrelated");
  CHECK(git_picture(scene) == git);
}

TEST_CASE("a repository further up that tracks nothing here is not changed back unasked") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh(
      "git init -q -b main; echo dot > dot; git add dot; git commit -qm 1; mkdir project; "
      "echo a > project/a");
  const std::string project = scene.work() + "/project";
  scene.snapshot(project);
  scene.sh("echo more >> dot; git commit -qam 2; rm project/a");
  const std::string head = scene.sh("git rev-parse HEAD");
  scene.undo();
  CHECK(scene.sh("git rev-parse HEAD; cat project/a") == head + "a\n");
  scene.sh("rm -rf .git");
  scene.undo();
  CHECK(scene.sh("git rev-parse HEAD") != head);
}

TEST_CASE("a linked worktree: others' branches move on, unless it is wanted otherwise") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  const std::string tree = scene.file("tree");
  scene.sh(
      "git worktree add -q ../tree loose; cd ../tree; echo t > t; git add t; echo w >> readme");
  const auto before = picture(tree);
  const std::string status =
      scene.sh("git status --porcelain=v2 -z; cat .git; git stash list", tree);
  scene.snapshot(tree);
  scene.sh("git reset -q --hard; rm -rf ./* .git \"$(git rev-parse --git-dir)\"", tree);
  scene.sh("git add -A; git commit -qm 'meanwhile, in the main worktree'; git branch -q new");
  const std::string main = scene.sh("git rev-parse main");
  SECTION("its own state comes back, the others' stays") {
    scene.undo();
    CHECK(scene.sh("git rev-parse main") == main);
    CHECK(scene.sh("git status --porcelain").empty());
  }
  SECTION("a common directory that is gone comes back whole") {
    scene.sh("rm -rf .git");
    scene.undo();
    CHECK(scene.sh("git rev-parse main") != main);
    scene.sh("git fsck --no-dangling");
  }
  SECTION("everything, when asked for") {
    scene.undo({{}, true});
    CHECK(scene.sh("git rev-parse main") != main);
  }
  CHECK(picture(tree) == before);
  CHECK(scene.sh("git status --porcelain=v2 -z; cat .git; git stash list", tree) == status);
}

TEST_CASE("a link file that names a folder which is no repository is not followed") {
  const Scene scene;
  scene.sh("mkdir ../private; echo key > ../private/id; echo gitdir: ../private > .git");
  std::vector<std::string> notes;
  CHECK(orch::repo::find_roots(scene.work(), notes).size() == 1);
  CHECK(notes.size() == 1);
}
