// What an agent may leave in a place of its choice, so that an undo would change other places.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "scene.h"

namespace fs = std::filesystem;

namespace {

// A work directory without git, and a folder outside of it with files of the same names.
struct Planted {
  Planted() {
    scene.sh(
        "mkdir -p src/deep; echo a > src/a; echo b > src/deep/b; echo top > top; chmod 755 top");
    scene.sh(
        "mkdir -p ../other/deep; echo mine > ../other/a; echo mine > ../other/deep/b; "
        "echo mine > ../other/top; chmod 600 ../other/*; chmod 700 ../other/deep");
    before = picture(scene.work());
    other = picture(scene.file("other"));
    scene.snapshot();
  }
  void check() {
    scene.undo();
    CHECK(picture(scene.file("other")) == other);
    CHECK(picture(scene.work()) == before);
  }

  Scene scene;
  std::map<std::string, std::string> before, other;
};

}  // namespace

TEST_CASE("links in the place of folders and files lead nowhere") {
  Planted planted;
  SECTION("a folder") { planted.scene.sh("rm -rf src; ln -s ../other src"); }
  SECTION("a folder in a folder") {
    planted.scene.sh("rm -rf src/deep; ln -s ../../other/deep src/deep");
  }
  SECTION("a file") { planted.scene.sh("rm top; ln -s ../other/top top"); }
  SECTION("every file") {
    planted.scene.sh("ln -sf ../../other/a src/a; ln -sf ../../../other/deep/b src/deep/b");
  }
  SECTION("a pipe, which must not hold us up") {
    planted.scene.sh("rm top src/a; mkfifo top src/a");
  }
  SECTION("a folder full of links in the place of a file") {
    planted.scene.sh("rm top; mkdir top; ln -s ../../other top/x; ln -s / top/root");
  }
  SECTION("a temporary file's name is a link") {
    planted.scene.sh("rm top; ln -s ../other/top .orch-undo-" + std::to_string(::getpid()));
  }
  SECTION("a temporary file's name is a folder of links") {
    const std::string name = ".orch-undo-" + std::to_string(::getpid());
    planted.scene.sh("rm top; mkdir " + name + "; ln -s ../../other " + name + "/x");
  }
  planted.check();
}

TEST_CASE("one file alone is brought back, and a link stands above it") {
  Planted planted;
  planted.scene.sh("rm -rf src; ln -s ../other src");
  planted.scene.undo({{planted.scene.work() + "/src/deep/b"}, false});
  CHECK(picture(planted.scene.file("other")) == planted.other);
  CHECK(planted.scene.sh("cat src/deep/b") == "b\n");
  CHECK_FALSE(fs::is_symlink(planted.scene.work() + "/src"));
  planted.check();
}

TEST_CASE("a tree that is deeper than a path can say stops nothing") {
  const Scene scene;
  scene.sh("echo a > a; mkdir d; echo b > d/b");
  const std::string deep =
      "import os\nfor _ in range(3000):\n  os.mkdir('nested'); os.chdir('nested')\n";
  SECTION("before the run") {
    scene.sh("python3 -c \"" + deep + "\"");
    CHECK(scene.snapshot().notes.empty());
    scene.sh("rm -r a d");
  }
  SECTION("made by the run") {
    scene.snapshot();
    scene.sh("rm -r a d; python3 -c \"" + deep + "\"");
  }
  scene.undo();
  CHECK(scene.sh("cat a d/b") == "a\nb\n");
  scene.sh("rm -rf nested");
}

TEST_CASE("a hard link of somebody else's file is replaced, neither written nor given a mode") {
  Planted planted;
  SECTION("another content") { planted.scene.sh("ln -f ../other/top top"); }
  SECTION("the same content, another mode") {
    planted.scene.sh("echo top > ../other/top; chmod 600 ../other/top; ln -f ../other/top top");
    planted.other = picture(planted.scene.file("other"));
  }
  planted.check();
}

TEST_CASE("the work directory itself is a link: nothing is written") {
  Planted planted;
  planted.scene.sh("rm -rf work; ln -s other work", planted.scene.file(""));
  const auto report = orch::repo::undo({planted.scene.snapshot_folder(), {}, ""});
  CHECK_FALSE(report.ok());
  CHECK(picture(planted.scene.file("other")) == planted.other);
}

TEST_CASE("no program that a repository names is run") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  const std::string mark = scene.file("ran");
  const std::string arm =
      "for key in core.fsmonitor core.sshCommand core.pager filter.x.clean filter.x.smudge "
      "filter.x.process diff.external gpg.program core.editor core.alternateRefsCommand; do "
      "git config $key 'touch " +
      mark +
      "; cat'; done; git config core.hooksPath .git/hooks; echo '* filter=x diff=x' > "
      ".git/info/attributes; "
      "for hook in post-index-change pre-commit post-checkout reference-transaction "
      "fsmonitor-watchman; do "
      "printf '#!/bin/sh\\ntouch " +
      mark + "\\n' > .git/hooks/$hook; chmod 755 .git/hooks/$hook; done; rm -f " + mark;
  SECTION("before the run") {
    scene.sh(arm);
    scene.snapshot();
    scene.sh("rm -rf src");
  }
  SECTION("by the run") {
    scene.snapshot();
    scene.sh(arm);
  }
  scene.sh("rm -f " + mark);
  scene.undo();
  CHECK_FALSE(fs::exists(mark));
}

TEST_CASE("git's directory is a link, or somebody's alternate is planted") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  const std::string git = git_picture(scene);
  scene.snapshot();
  scene.sh("git init -q ../evil", scene.work());
  const auto evil = picture(scene.file("evil/.git"));
  SECTION("a link") { scene.sh("rm -rf .git; ln -s ../evil/.git .git"); }
  SECTION("a file that names another") {
    scene.sh("rm -rf .git; echo 'gitdir: ../evil/.git' > .git");
  }
  SECTION("alternates") {
    scene.sh(
        "mkdir -p .git/objects/info; echo ../../../evil/.git/objects > "
        ".git/objects/info/alternates");
  }
  SECTION("core.worktree") { scene.sh("git config core.worktree ../../evil"); }
  scene.undo();
  CHECK(picture(scene.file("evil/.git")) == evil);
  CHECK(git_picture(scene) == git);
  CHECK_FALSE(fs::exists(scene.work() + "/.git/objects/info/alternates"));
}
