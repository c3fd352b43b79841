// What an undo, and its redo, leave as it was: modes, roots, depth.
#include "repo/undo.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <utility>

#include "scene.h"
#include "skipped.h"

namespace fs = std::filesystem;
using orch::repo::Act;
using orch::repo::UndoOrder;
using orch::repo::UndoReport;
using orch::repo::UndoScope;

namespace {

UndoReport carry_out(const UndoOrder& order) {
  const auto report = orch::repo::undo(order);
  INFO((report ? "" : report.error().text));
  REQUIRE(report);
  INFO((report->failures.empty() ? "" : report->failures.front()));
  REQUIRE(report->failures.empty());
  return *report;
}

// Undoes and keeps the present; then undoes that, as a redo does.
void undo_keeping(const Scene& scene, const UndoScope& scope = {}) {
  carry_out({scene.snapshot_folder(), scope, scene.file("present"), "", scene.file("journal")});
}
void redo(const Scene& scene) {
  carry_out({scene.file("present"), {}, "", scene.snapshot_folder(), scene.file("journal")});
}

// Deeper than a path of 4,096 bytes tells, and than a process may have open with the usual 1,024
// descriptors.
constexpr int kDeep = 1'200;
// A Python script that makes nested folders with a file in each.
std::string deep(const std::string& name, int depth) {
  return "import os\nos.mkdir('" + name + "'); os.chdir('" + name + "')\nfor i in range(" +
         std::to_string(depth) +
         "):\n  open('file','w').write(str(i)); os.mkdir('nested'); os.chdir('nested')\n";
}
std::string count_of(const Scene& scene, const std::string& name) {
  return scene.sh("python3 - <<'end'\nimport os\ncount = 0\nos.chdir('" + name +
                  "')\nwhile os.path.exists('nested'):\n"
                  "  count += open('file').read() == str(count); os.chdir('nested')\n"
                  "print(count)\nend");
}

}  // namespace

TEST_CASE("folders that may not be written to come back with all that was in them") {
  const Scene scene;
  scene.sh(
      "mkdir -p locked/in passage open; echo a > locked/a; echo b > locked/in/b; echo c > open/c; "
      "chmod 0555 locked/in locked; chmod 0111 passage; chmod 01777 open");
  const auto tree = picture(scene.work());
  scene.snapshot();
  scene.sh("chmod -R u+rwx .; rm -rf ./*");
  scene.undo();
  CHECK(picture(scene.work()) == tree);
}

TEST_CASE("what an undo opens up for itself has its own mode again") {
  const Scene scene;
  scene.sh("mkdir -p locked/in other; echo a > locked/a; echo b > locked/in/b; echo c > other/c");
  scene.sh("chmod 0555 locked");
  scene.snapshot();
  scene.sh("chmod 0755 locked; rm locked/in/b; echo x > other/c; chmod 0555 locked other");
  SECTION("one that is as it was") { scene.undo(); }
  SECTION("one out of the scope, on the way to what is in it") {
    scene.sh("chmod 0000 locked");
    scene.undo({{scene.work() + "/locked/in/b"}, false});
    CHECK(mode_of(scene.work() + "/locked") == 0000);
    CHECK(mode_of(scene.work() + "/other") == 0555);
    scene.undo();
  }
  CHECK(mode_of(scene.work() + "/locked") == 0555);
  CHECK(mode_of(scene.work() + "/other") == 0755);
  CHECK(scene.sh("cat locked/in/b other/c") == "b\nc\n");
}

TEST_CASE("an undo of an undo gives back every mode, of closed folders and files too") {
  const Scene scene;
  scene.sh(
      "mkdir -p src/deep other closed; echo a > src/deep/a; echo b > other/b; echo c > closed/c; "
      "echo d > d");
  const auto tree = picture(scene.work());
  scene.snapshot();
  SECTION("some") {
    scene.sh(
        "echo x > src/deep/a; chmod 0500 src/deep; chmod 0555 src; chmod 0111 other; "
        "chmod 0000 closed d");
  }
  SECTION("all") { scene.sh("echo x > d; find src other closed d -depth -exec chmod 000 {} +"); }
  SECTION("the root, too") { scene.try_sh("rm d; find . -depth -exec chmod 000 {} +"); }
  // Reads closed places by opening their modes for a moment.
  const auto seen = [&scene] {
    scene.sh(
        "python3 - <<'end' > modes\nimport os\ndef look(path):\n"
        "  mode = os.lstat(path).st_mode; print(path, oct(mode))\n"
        "  os.chmod(path, mode & 0o7777 | 0o700)\n"
        "  if os.path.isdir(path):\n"
        "    for name in sorted(os.listdir(path)): look(path + '/' + name)\n"
        "  else: print(open(path).read())\n"
        "  os.chmod(path, mode & 0o7777)\nlook('work')\nend",
        scene.file(""));
    return scene.sh("cat modes", scene.file(""));
  };
  const std::string before = seen();
  undo_keeping(scene);
  CHECK(picture(scene.work()) == tree);
  CHECK(mode_of(scene.work()) == 0755);
  redo(scene);
  CHECK(seen() == before);
  CHECK_FALSE(fs::exists(scene.file("journal")));
}

TEST_CASE("a file of several names is opened up under all of them") {
  const Scene scene;
  scene.sh("echo 1 > a; ln a b; echo 2 > c; chmod 0000 c");
  scene.snapshot();
  scene.sh("chmod 0000 a; chmod 0640 c");
  undo_keeping(scene);
  CHECK(mode_of(scene.work() + "/b") == 0644);
  CHECK(mode_of(scene.work() + "/c") == 0000);
  redo(scene);
  CHECK(mode_of(scene.work() + "/a") == 0000);
  CHECK(mode_of(scene.work() + "/b") == 0000);
  CHECK(mode_of(scene.work() + "/c") == 0640);
}

TEST_CASE("the mode of the work directory itself is changed back, but by --only of it alone") {
  const Scene scene;
  scene.sh("echo a > a; echo b > b; chmod 0751 .");
  scene.snapshot();
  scene.sh("echo x > a; chmod 0700 .");
  scene.undo({{scene.work() + "/a"}, false});
  CHECK(mode_of(scene.work()) == 0700);
  const auto manifest = orch::repo::read_manifest(scene.snapshot_folder());
  const auto bytes = orch::repo::KeptBytes::open(scene.snapshot_folder(), *manifest);
  const auto changes = orch::repo::plan_undo(*manifest, *bytes, {});
  REQUIRE(changes.ok());
  REQUIRE(changes->size() == 1);
  CHECK(changes->front().path.empty());
  CHECK(changes->front().why == "mode 0700, was 0751");
  scene.undo();
  CHECK(mode_of(scene.work()) == 0751);
}

TEST_CASE("what others use, too, keeps its modes, of the folder itself and in it") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  scene.sh("git worktree add -q ../tree loose; chmod 0555 .git/info; chmod 0755 .git/hooks");
  scene.snapshot(scene.file("tree"));
  scene.sh("chmod 0700 .git; chmod 0555 .git/hooks; rm ../tree/run.sh");
  scene.undo();
  CHECK(mode_of(scene.work() + "/.git") == 0700);
  CHECK(mode_of(scene.work() + "/.git/hooks") == 0555);
  CHECK(mode_of(scene.work() + "/.git/info") == 0555);
  CHECK(fs::exists(scene.file("tree/run.sh")));
}

TEST_CASE("a tree comes back however deep it is") {
  const Scene scene;
  scene.sh("python3 -c \"" + deep("tree", kDeep) + "\"");
  CHECK(scene.snapshot().notes.empty());
  scene.sh("rm -rf tree");
  CHECK(scene.undo().lacking.empty());
  CHECK(count_of(scene, "tree") == std::to_string(kDeep) + "\n");
  scene.sh("rm -rf tree");
}

TEST_CASE("an undo of an undo is as deep as that") {
  const Scene scene;
  scene.sh("python3 -c \"" + deep("tree", 800) + "\"");
  scene.snapshot();
  scene.sh("rm -rf tree/nested; echo file > tree/nested");
  undo_keeping(scene);
  CHECK(count_of(scene, "tree") == "800\n");
  redo(scene);
  CHECK(scene.sh("cat tree/nested") == "file\n");
  scene.sh("rm -rf tree");
}

TEST_CASE("a tree without end in the place of a file goes, and its neighbours stay") {
  const Scene scene;
  scene.sh("echo a > a; echo b > b");
  scene.snapshot();
  scene.sh("rm a; python3 -c \"" + deep("a", kDeep) + "\"");
  scene.undo();
  CHECK(scene.sh("cat a b") == "a\nb\n");
}

TEST_CASE("what a run nests without end in a folder is neither looked at nor in the way") {
  const Scene scene;
  scene.sh("mkdir d; echo b > d/b");
  scene.snapshot();
  scene.sh("rm d/b; cd d; python3 -c \"" + deep("new", kDeep) + "\"");
  scene.undo();
  CHECK(scene.sh("cat d/b") == "b\n");
  scene.sh("rm -rf d");
}

TEST_CASE("what a snapshot could not look into is told when it is gone, not passed over") {
  const Scene scene;
  scene.sh("mkdir names passage; echo a > names/a; echo b > passage/b; echo c > c");
  scene.sh("chmod 0444 names; chmod 0111 passage");
  const auto taken = scene.snapshot();
  const bool all = ::geteuid() == 0;
  CHECK(taken.notes.size() == (all ? 0 : 2));
  scene.sh("chmod 0755 names passage; rm -rf ./*");
  const auto report = scene.undo();
  CHECK(report.lacking.size() == (all ? 0 : 2));
  CHECK(mode_of(scene.work() + "/names") == 0444);
  CHECK(mode_of(scene.work() + "/passage") == 0111);
  CHECK(scene.sh("cat c") == "c\n");
  if (all) CHECK(scene.sh("cat names/a passage/b") == "a\nb\n");
}

TEST_CASE("what a snapshot left out may have changed under the same size and time, and is told") {
  const Scene scene;
  scene.sh("for name in a b; do head -c 70M /dev/zero > $name; touch -d '2020-01-01' $name; done");
  CHECK(scene.snapshot().notes.size() == 2);
  size_t lacking = 1;
  SECTION("as it was, however often it is read") {
    scene.sh("cat a b > /dev/null");
    lacking = 0;
  }
  SECTION("written to") {
    scene.sh("echo changed | dd of=a conv=notrunc 2> /dev/null; touch -d '2020-01-01' a");
  }
  SECTION("another in its place") { scene.sh("mv a c; cp --preserve=timestamps c a"); }
  SECTION("swapped") {
    scene.sh("mv a c; mv b a; mv c b");
    lacking = 2;
  }
  const auto report = scene.undo();
  REQUIRE(report.lacking.size() == lacking);
  for (const auto& change : report.lacking) {
    CHECK(change.why == "may have changed, and the snapshot lacks it");
  }
}

TEST_CASE("a redo takes back the mode of what no snapshot has, and finds nothing changed by that") {
  const Scene scene;
  scene.sh("head -c 70M /dev/zero > a; echo b > b");
  scene.snapshot();
  scene.sh("chmod 0600 a; rm b");
  const auto undone =
      carry_out({scene.snapshot_folder(), {}, scene.file("present"), "", scene.file("journal")});
  CHECK(undone.lacking.size() == 1);  // what changes the mode may have changed the content
  CHECK(mode_of(scene.work() + "/a") == 0644);
  const auto redone =
      carry_out({scene.file("present"), {}, "", scene.snapshot_folder(), scene.file("journal")});
  CHECK(redone.lacking.empty());
  CHECK(mode_of(scene.work() + "/a") == 0600);
}

TEST_CASE("what is there now is kept for a redo only if the disk has room, and with its holes") {
  const Scene scene;
  scene.sh("echo text > a");
  scene.snapshot();
  const std::string present = scene.file("present");
  SECTION("a file of ten terabytes") {
    scene.sh("truncate -s 10T a");
    const auto undone =
        orch::repo::undo({scene.snapshot_folder(), {}, present, "", scene.file("journal")});
    REQUIRE_FALSE(undone);
    CHECK(undone.error().text.find("has room for") != std::string::npos);
    CHECK(undone.error().text.find("--no-redo does it without") != std::string::npos);
  }
  SECTION("a file with a hole") {
    scene.sh("truncate -s 64M a; echo end >> a");
    carry_out({scene.snapshot_folder(), {}, present, "", scene.file("journal")});
    CHECK(std::stoi(scene.sh("du -sm " + present)) < 16);
    carry_out({present, {}, "", scene.snapshot_folder(), scene.file("journal")});
    CHECK(scene.sh("stat -c %s a; tail -c 4 a") == "67108868\nend\n");
  }
}

TEST_CASE("what is in a folder that was closed to the snapshot may have changed, and is told") {
  if (::geteuid() == 0) return orch::say_skipped("no folder is closed to root");
  const Scene scene;
  scene.sh("mkdir closed other; echo a > closed/a; chmod 0000 closed other");
  scene.snapshot();
  scene.sh("chmod 0700 closed; echo b > closed/a; chmod 0000 closed");
  const auto report = scene.undo();
  REQUIRE(report.lacking.size() == 1);
  CHECK(report.lacking[0].path == "closed");
}

TEST_CASE("what an undo brought back goes again with it, but what was worked on since stays") {
  const Scene scene;
  scene.sh(
      "mkdir -p gone/in kept; echo a > gone/a; echo b > gone/in/b; echo c > kept/c; ln -s c l");
  scene.snapshot();
  scene.sh("rm -rf gone l kept/c");
  const auto destroyed = picture(scene.work());
  undo_keeping(scene);
  SECTION("nobody has worked there") {
    redo(scene);
    CHECK(picture(scene.work()) == destroyed);
  }
  SECTION("somebody has") {
    scene.sh("echo mine >> gone/in/b; echo new > kept/new");
    redo(scene);
    CHECK(scene.sh("find . -type f | sort; cat gone/in/b") == "./gone/in/b\n./kept/new\nb\nmine\n");
  }
}

TEST_CASE("a git directory that an undo brought back goes again whole, or stays whole") {
  if (!has_git()) return;
  const Scene scene;
  make_repository(scene);
  scene.snapshot();
  scene.sh("rm -rf .git src");
  const auto destroyed = picture(scene.work());
  undo_keeping(scene);
  scene.sh("touch readme; git status > /dev/null; git update-index --refresh || true");
  SECTION("it was only looked at") {
    redo(scene);
    CHECK(picture(scene.work()) == destroyed);
    CHECK_FALSE(fs::exists(scene.work() + "/.git"));
  }
  SECTION("it holds new work") {
    scene.sh("git commit -qam 'since the undo'");
    const std::string head = scene.sh("git rev-parse HEAD");
    redo(scene);
    CHECK(scene.sh("git rev-parse HEAD; git fsck --no-dangling --no-progress") == head);
  }
}

TEST_CASE("what is to be replaced is kept whatever its size, or nothing is changed") {
  const Scene scene;
  scene.sh("echo small > a; echo b > b");
  scene.snapshot();
  scene.sh("rm b; truncate -s 70M a");
  SECTION("kept") {
    undo_keeping(scene);
    CHECK(scene.sh("cat a") == "small\n");
    redo(scene);
    CHECK(scene.sh("stat -c %s a") == "73400320\n");
  }
  SECTION("it cannot be kept: no room for what is there") {
    const auto report =
        orch::repo::undo({scene.snapshot_folder(), {}, scene.file("no/such/folder"), "", ""});
    REQUIRE_FALSE(report.ok());
    CHECK(report.error().text.find("nothing was changed: --no-redo") != std::string::npos);
    CHECK(scene.sh("stat -c %s a; ls") == "73400320\na\n");
  }
}

TEST_CASE("what is mounted in the way of an undo is not emptied") {
  const Scene scene;
  scene.sh("echo a > a");
  scene.snapshot();
  scene.sh("rm a; mkdir -p a/mount ../mine; echo mine > ../mine/file");
  const std::string mount = scene.work() + "/a/mount";
  scene.try_sh("mount --bind ../mine a/mount");
  if (!fs::exists(mount + "/file")) return orch::say_skipped("nothing can be mounted here");
  const auto report = orch::repo::undo({scene.snapshot_folder(), {}, ""});
  CHECK(scene.sh("cat ../mine/file") == "mine\n");
  scene.sh("umount a/mount");
  REQUIRE(report.ok());
  REQUIRE(report->failures.size() == 1);
  CHECK(report->failures[0].find("something is mounted there") != std::string::npos);
}

TEST_CASE(
    "a closed folder on the way to what is in the scope is told, and looked into by an undo") {
  if (::geteuid() == 0) return orch::say_skipped("no folder is closed to root");
  const Scene scene;
  scene.sh("mkdir -p d/s other; echo 1 > d/s/f");
  scene.snapshot();
  const std::string mode = GENERATE("0000", "0111", "0300", "0600");
  const std::string closed = GENERATE("d", "d/s", ".");
  INFO(mode << " " << closed);
  scene.try_sh("rm d/s/f; chmod " + mode + " other; chmod " + mode + " " + closed);
  const UndoScope scope{{scene.work() + "/d/s/f"}, false};
  const auto manifest = orch::repo::read_manifest(scene.snapshot_folder());
  const auto bytes = orch::repo::KeptBytes::open(scene.snapshot_folder(), *manifest);
  const auto seen = orch::repo::plan_undo(*manifest, *bytes, scope);
  REQUIRE(seen.ok());
  REQUIRE(seen->size() == 1);
  CHECK(seen->front().act == Act::kUnseen);
  CHECK(seen->front().path == (closed == "." ? "" : closed));
  CHECK(scene.undo(scope).done.size() == 1);
  const std::string folder = closed == "." ? scene.work() : scene.work() + "/" + closed;
  CHECK(mode_of(folder) == std::stoul(mode, nullptr, 8));
  scene.sh("for folder in work work/d work/d/s; do chmod 0755 $folder; done", scene.file(""));
  CHECK(scene.sh("cat d/s/f") == "1\n");
}

TEST_CASE("a pipe in the place of a snapshot's file keeps nobody waiting") {
  const Scene scene;
  scene.sh("echo a > a");
  orch::repo::SnapshotPlan plan;
  plan.work_dir = scene.work();
  plan.folder = scene.file("first");
  plan.settled_ns = 0;
  REQUIRE(orch::repo::take_snapshot(plan).ok());
  const std::string name = GENERATE("manifest", "archive-*");
  INFO(name);
  scene.sh("for file in ../first/" + name + "; do rm $file; mkfifo $file; done");
  CHECK_FALSE(orch::repo::read_manifest(plan.folder).ok());
  CHECK_FALSE(orch::repo::check_snapshot(plan.folder).ok());
  orch::repo::Manifest manifest;
  manifest.archives = {fs::path(scene.sh("ls -d ../first/archive-*")).filename().string()};
  manifest.archives.front().pop_back();  // removes the line feed
  CHECK(orch::repo::KeptBytes::open(plan.folder, manifest).ok() == (name == "manifest"));
  plan.previous = std::exchange(plan.folder, scene.snapshot_folder());
  REQUIRE(orch::repo::take_snapshot(plan).ok());  // shares nothing with the first one
  scene.sh("rm a");
  scene.undo();
  CHECK(scene.sh("cat a") == "a\n");
}
