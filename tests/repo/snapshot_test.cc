#include "repo/snapshot.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "scene.h"
#include "skipped.h"

namespace fs = std::filesystem;
using orch::repo::Act;
using orch::repo::SnapshotPlan;
using orch::repo::take_snapshot;

namespace {

SnapshotPlan plan_of(const Scene& scene, const std::string& folder) {
  SnapshotPlan plan;
  plan.work_dir = scene.work();
  plan.folder = scene.file(folder);
  plan.settled_ns = 0;
  return plan;
}

bool is_noted(const orch::repo::SnapshotReport& report, const std::string& text) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("a snapshot is for its owner alone, and counts what it keeps") {
  const Scene scene;
  scene.sh("echo 12345 > a; mkdir d; echo 123 > d/b; ln -s a l");
  const auto report = scene.snapshot();
  CHECK(report.files == 2);
  CHECK(report.bytes == 10);
  CHECK(report.written_bytes > 10);
  CHECK(report.notes.empty());
  struct stat info {};
  REQUIRE(::stat(scene.snapshot_folder().c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
  for (const auto& entry : fs::directory_iterator(scene.snapshot_folder())) {
    REQUIRE(::stat(entry.path().c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0600);
  }
}

TEST_CASE("a snapshot that an agent could reach is refused, and leaves nothing behind") {
  const Scene scene;
  scene.sh("mkdir inside; ln -s work ../alias");
  for (const char* folder : {"work/snapshot", "work/inside/snapshot", "alias/snapshot"}) {
    const auto report = take_snapshot(plan_of(scene, folder));
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().text.find("would lie within") != std::string::npos);
    CHECK_FALSE(fs::exists(scene.file(folder)));
  }
}

TEST_CASE("a snapshot that takes longer than it may is none, and leaves nothing") {
  const Scene scene;
  scene.sh("i=0; while [ $i -lt 2000 ]; do echo $i > $i; i=$((i+1)); done");
  SnapshotPlan plan;
  plan.work_dir = scene.work();
  plan.folder = scene.snapshot_folder();
  plan.limits.most_ms = 1;  // 2,000 files take more
  const auto taken = take_snapshot(plan);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().text.find("took longer than") != std::string::npos);
  CHECK_FALSE(fs::exists(scene.snapshot_folder()));
  plan.limits.most_ms = 60'000;
  CHECK(take_snapshot(plan).ok());
}

TEST_CASE("too many files are no snapshot, and leave nothing behind") {
  const Scene scene;
  scene.sh("touch a b c d");
  SnapshotPlan plan = plan_of(scene, "snapshot");
  plan.limits.entries = 3;
  CHECK_FALSE(take_snapshot(plan).ok());
  CHECK_FALSE(fs::exists(scene.snapshot_folder()));
}

TEST_CASE("when space is short the largest untracked folders are left out, and said") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh(
      "git init -q; mkdir -p node_modules/x src; head -c 5000 /dev/zero > node_modules/x/y; "
      "head -c 9000 /dev/zero > src/tracked; git add src; echo SECRET > .env; echo u > src/new; "
      "head -c 3000 /dev/zero > large");
  SnapshotPlan plan = plan_of(scene, "snapshot");
  plan.limits.other_bytes = 5000;
  plan.limits.file_bytes = 6000;
  const auto report = take_snapshot(plan);
  REQUIRE(report.ok());
  CHECK(report->notes.size() == 1);
  CHECK(is_noted(*report, "node_modules"));
  const std::string gone = "rm -rf node_modules src .env large";
  scene.sh(gone);
  const auto undone = scene.undo();
  CHECK(scene.sh("cat .env src/new; wc -c < src/tracked; wc -c < large") ==
        "SECRET\nu\n9000\n3000\n");
  CHECK_FALSE(fs::exists(scene.work() + "/node_modules/x/y"));
  const auto manifest = orch::repo::read_manifest(scene.snapshot_folder());
  const auto bytes = orch::repo::KeptBytes::open(scene.snapshot_folder(), *manifest);
  const auto changes = orch::repo::plan_undo(*manifest, *bytes, {});
  REQUIRE(changes.ok());
  REQUIRE(changes->size() == 1);
  CHECK(changes->front().act == Act::kCannot);
  CHECK(changes->front().path == "node_modules/x/y");
}

TEST_CASE("a socket, and a file that may not be read, are named and the rest is kept") {
  const Scene scene;
  scene.sh("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; echo a > a");
  const auto report = scene.snapshot();
  CHECK(report.files == 1);
  CHECK(is_noted(report, "sock"));
}

TEST_CASE("git's lock is named, not kept") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("git init -q; touch a; git add a; touch .git/index.lock");
  CHECK(is_noted(scene.snapshot(), "git is at work"));
  scene.sh("rm -rf .git");
  scene.undo();
  CHECK(scene.sh("git ls-files") == "a\n");
  CHECK_FALSE(fs::exists(scene.work() + "/.git/index.lock"));
}

TEST_CASE("a full disk is no snapshot, and leaves nothing behind") {
  const Scene scene;
  scene.sh("head -c 3000000 /dev/zero > a");
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1'500'000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const auto report = take_snapshot(plan_of(scene, "snapshot"));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_DFL);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().text.find("File too large") != std::string::npos);
  CHECK_FALSE(fs::exists(scene.snapshot_folder()));
}

TEST_CASE("what has not changed since the last snapshot is shared, and outlives it") {
  const Scene scene;
  scene.sh("head -c 500000 /dev/urandom > big; echo 1 > small; mkdir d; echo 2 > d/e");
  const auto tree = picture(scene.work());
  REQUIRE(take_snapshot(plan_of(scene, "first")).ok());
  SnapshotPlan second = plan_of(scene, "snapshot");
  second.previous = scene.file("first");
  const auto report = take_snapshot(second);
  REQUIRE(report.ok());
  CHECK(report->files == 3);
  CHECK(report->written_bytes < 2000);
  REQUIRE(orch::repo::remove_snapshot(scene.file("first")).ok());
  scene.sh("rm -rf big small d");
  scene.undo();
  CHECK(picture(scene.work()) == tree);
}

TEST_CASE("what an earlier snapshot cannot share any more is copied") {
  const Scene scene;
  scene.sh("echo first > a; echo second > b");
  const auto tree = picture(scene.work());
  REQUIRE(take_snapshot(plan_of(scene, "first")).ok());
  SnapshotPlan later = plan_of(scene, "snapshot");
  SECTION("nothing of it") {
    scene.sh("rm ../first/archive-*");
    later.previous = scene.file("first");
  }
  SECTION("one of its two archives, while the other one is linked") {
    scene.sh("rm b; echo second > b");
    SnapshotPlan second = plan_of(scene, "second");
    second.previous = scene.file("first");
    REQUIRE(take_snapshot(second).ok());
    scene.sh("for archive in ../first/archive-*; do rm ../second/${archive##*/}; done");
    later.previous = scene.file("second");
  }
  const auto report = take_snapshot(later);
  REQUIRE(report.ok());
  CHECK(report->files == 2);
  scene.sh("rm a b");
  scene.undo();
  CHECK(picture(scene.work()) == tree);
}

TEST_CASE("a file that changed since is read anew, with the same size and time as well") {
  const Scene scene;
  scene.sh("echo one > a; touch -d '2020-01-01' a");
  REQUIRE(take_snapshot(plan_of(scene, "first")).ok());
  scene.sh("echo two > a; touch -d '2020-01-01' a");
  SnapshotPlan second = plan_of(scene, "snapshot");
  second.previous = scene.file("first");
  REQUIRE(take_snapshot(second).ok());
  scene.sh("rm a");
  scene.undo();
  CHECK(scene.sh("cat a") == "two\n");
}

TEST_CASE(
    "many objects are linked, and one that was written to in place is a failure, not a file") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  SnapshotPlan plan = plan_of(scene, "snapshot");
  plan.limits.copied_objects = 0;
  const std::string git = git_picture(scene);
  const auto tree = picture(scene.work());
  REQUIRE(take_snapshot(plan).ok());
  SECTION("removed") {
    scene.sh("rm -rf ./* .git .env .gitignore");
    scene.undo();
    CHECK(picture(scene.work()) == tree);
    CHECK(git_picture(scene) == git);
  }
  SECTION("written to") {
    scene.sh("for f in .git/objects/pack/*.pack; do chmod u+w $f; : > $f; done");
    const auto report = orch::repo::undo({scene.snapshot_folder(), {}, ""});
    REQUIRE(report.ok());
    REQUIRE(report->failures.size() == 1);
    CHECK(report->failures[0].find("has lost its bytes") != std::string::npos);
  }
}

TEST_CASE("objects that cannot be linked count: the limit holds on another file system, too") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  std::string other = "/dev/shm/orch-repo-XXXXXX";
  struct stat there {
  }, here{};
  if (::mkdtemp(other.data()) == nullptr || ::stat(other.c_str(), &there) != 0 ||
      ::stat(scene.work().c_str(), &here) != 0 || there.st_dev == here.st_dev) {
    return orch::say_skipped("there is no second file system here");
  }
  SnapshotPlan plan = plan_of(scene, "snapshot");
  plan.folder = other + "/snapshot";
  plan.limits.copied_objects = 0;
  plan.limits.git_bytes = 1000;
  const auto report = take_snapshot(plan);
  fs::remove_all(other);
  REQUIRE(report.ok());
  CHECK(is_noted(*report, "they cannot be linked"));
  CHECK(report->written_bytes < 400'000);  // only the untracked files and the list of all files
  const auto objects = scene.sh("du -sb .git/objects | cut -f1");
  INFO(objects);
  CHECK(report->bytes < 310'000);
}

TEST_CASE("a snapshot that an agent could reach by another path is refused, too") {
  const Scene scene;
  scene.sh("mkdir -p state ../mounted; echo a > a");
  CHECK_FALSE(orch::repo::check_snapshot_place(scene.work(), scene.work() + "/x/y").ok());
  CHECK(orch::repo::check_snapshot_place(scene.work(), scene.file("mounted/x/y")).ok());
  scene.sh("ln -s work/state ../link");
  CHECK_FALSE(orch::repo::check_snapshot_place(scene.work(), scene.file("link/x")).ok());
  scene.try_sh("mount --bind state ../mounted && touch ../mounted/yes");
  if (!fs::exists(scene.work() + "/state/yes")) {
    return orch::say_skipped("nothing can be mounted here");
  }
  const auto report = take_snapshot(plan_of(scene, "mounted/snapshot"));
  const bool left = fs::exists(scene.file("mounted/snapshot"));
  scene.sh("umount ../mounted");
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().text.find("would lie within") != std::string::npos);
  CHECK_FALSE(left);
}

TEST_CASE("an undo can be undone, and only some paths be brought back") {
  const Scene scene;
  scene.sh("mkdir d; echo a > d/a; echo b > b");
  scene.snapshot();
  scene.sh("echo later > d/a; rm b; echo new > d/new");
  SECTION("redo") {
    const auto undone = orch::repo::undo({scene.snapshot_folder(), {}, scene.file("present")});
    REQUIRE(undone.ok());
    CHECK(scene.sh("cat d/a b d/new") == "a\nb\nnew\n");
    REQUIRE(orch::repo::undo({scene.file("present"), {}, ""}).ok());
    CHECK(scene.sh("cat d/a d/new") == "later\nnew\n");
  }
  SECTION("only") {
    scene.undo({{scene.work() + "/b"}, false});
    CHECK(scene.sh("cat d/a b") == "later\nb\n");
    scene.sh("rm -rf d");
    scene.undo({{scene.work() + "/d/a"}, false});
    CHECK(scene.sh("cat d/a; stat -c %a d") == "a\n755\n");
  }
}

TEST_CASE("an undo that was interrupted is done again") {
  const Scene scene;
  scene.sh("mkdir d; for i in 1 2 3 4 5 6 7 8 9; do echo $i > d/$i; done");
  const auto tree = picture(scene.work());
  scene.snapshot();
  // As a killed undo leaves it: some files are back, one is a temporary file that is half written.
  scene.sh("rm -rf d; mkdir -m 700 d; echo 1 > d/1; printf x > d/.orch-undo-4711");
  scene.undo();
  CHECK(picture(scene.work()) == tree);
}

TEST_CASE("a folder in which a snapshot was cut off is none") {
  const Scene scene;
  scene.sh("echo a > a");
  scene.snapshot();
  fs::remove(scene.snapshot_folder() + "/manifest");
  CHECK_FALSE(orch::repo::undo({scene.snapshot_folder(), {}, ""}).ok());
}

TEST_CASE("an archive that lost its end is told, and the other files come back") {
  const Scene scene;
  scene.sh("echo first > a; head -c 100000 /dev/zero > b");
  scene.snapshot();
  scene.sh("rm a b; truncate -s 50 ../snapshot/archive-*");
  const auto report = orch::repo::undo({scene.snapshot_folder(), {}, ""});
  REQUIRE(report.ok());
  CHECK(report->failures.size() == 1);
  CHECK(scene.sh("cat a") == "first\n");
  CHECK_FALSE(fs::exists(scene.work() + "/b"));
}

TEST_CASE(
    "an archive whose bytes are others is told, wherever they lie, and nothing is made of them") {
  const Scene scene;
  scene.sh("echo first > a; echo second > b; : > empty");
  scene.snapshot();
  scene.sh("rm a b empty");
  SECTION("zeros, as a loss of power leaves them") {
    scene.sh(
        "for archive in ../snapshot/archive-*; do size=$(stat -c %s $archive); "
        "truncate -s 0 $archive; truncate -s $size $archive; done");
    const auto report = orch::repo::undo({scene.snapshot_folder(), {}, ""});
    REQUIRE(report.ok());
    CHECK(report->failures.size() == 2);
    CHECK(scene.sh("ls -A") == "empty\n");
  }
  SECTION("one byte") {
    scene.sh("for archive in ../snapshot/archive-*; do sed -i s/second/sesond/ $archive; done");
    const auto report = orch::repo::undo({scene.snapshot_folder(), {}, ""});
    REQUIRE(report.ok());
    REQUIRE(report->failures.size() == 1);
    CHECK(report->failures[0].find("/b: ") != std::string::npos);
    CHECK(scene.sh("cat a; ls -A") == "first\na\nempty\n");
  }
}

TEST_CASE("what an archive that changed has of a file is not taken for the file that is there") {
  const Scene scene;
  scene.sh("echo first > a");
  scene.snapshot();
  scene.sh("sed -i s/first/fifth/ ../snapshot/archive-*; echo fifth > a");
  const auto report = orch::repo::undo({scene.snapshot_folder(), {}, ""});
  REQUIRE(report.ok());
  CHECK(report->failures.size() == 1);
}

TEST_CASE("a repository that only the work directory's own files name is not kept") {
  const Scene scene;
  scene.sh("git init -q ../stranger; rm -rf .git; echo gitdir: \"$PWD/../stranger/.git\" > .git");
  SnapshotPlan plan = plan_of(scene, "first");
  REQUIRE(take_snapshot(plan));
  const std::string stranger = fs::canonical(scene.file("stranger/.git")).string();
  // Without git_folders, git's folder is where .git says.
  CHECK(orch::repo::read_manifest(plan.folder)->roots.size() == 2);
  plan.folder = scene.file("second");
  plan.git_folders.emplace();
  const auto report = take_snapshot(plan);
  REQUIRE(report);
  CHECK(orch::repo::read_manifest(plan.folder)->roots.size() == 1);
  CHECK(is_noted(*report, stranger));
}

TEST_CASE("what the agent may not read is not kept, and not taken for its own work") {
  const Scene scene;
  scene.sh("echo key > kc; mkdir keys; echo key > keys/a; echo text > file");
  SnapshotPlan plan = plan_of(scene, "snapshot");
  plan.closed = {scene.work() + "/kc", scene.work() + "/keys"};
  const auto report = take_snapshot(plan);
  REQUIRE(report);
  CHECK(is_noted(*report, "kc: the agent may not read it"));
  CHECK(scene.sh("grep -c key snapshot/archive-* || true", scene.file("")) == "0\n");
  scene.sh("rm keys/a; echo other > file");
  CHECK(scene.undo().lacking.size() == 1);
  CHECK(scene.sh("cat kc file") == "key\ntext\n");
}

TEST_CASE("an undo takes away a lock that an agent has left in a repository") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("git init -q; echo one > file; git add file");
  (void)scene.snapshot();
  scene.sh("touch .git/index.lock; rm file");
  const auto undone = orch::repo::undo({scene.snapshot_folder(), {}, scene.file("present")});
  REQUIRE(undone);
  CHECK(undone->failures.empty());
  CHECK(scene.sh("cat file; ls .git").find("index.lock") == std::string::npos);
  REQUIRE(orch::repo::undo({scene.file("present"), {}, ""}));
}
