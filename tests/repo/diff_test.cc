// What differs between a snapshot and what came after it, as git tells it.
#include "repo/diff.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "scene.h"

namespace orch::repo {
namespace {

namespace fs = std::filesystem;

Diff diff_of(const Scene& scene, const std::string& later = "") {
  base::Result<Diff> diff = Diff::since({.since = {.work_dir = scene.work(),
                                                   .snapshot = scene.snapshot_folder(),
                                                   .head = "",
                                                   .own_files = {}},
                                         .later_snapshot = later});
  INFO((diff ? "" : diff.error().text));
  REQUIRE(diff.ok());
  return std::move(diff).value();
}

std::string text_of(const base::Result<std::string>& patch) {
  INFO((patch ? "" : patch.error().text));
  REQUIRE(patch.ok());
  return *patch;
}

std::string patch_of(const Diff& diff) { return text_of(diff.patch()); }

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a diff has what was changed, made, removed and linked, and its lines are counted") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("printf '1\\n2\\n3\\n' > changed; echo old > gone; echo x > tool; ln -s a link");
  scene.snapshot();
  scene.sh(
      "printf '1\\ntwo\\n3\\n4\\n' > changed; rm gone; mkdir sub; echo new > sub/made; "
      "chmod +x tool; ln -sfn b link");
  const Diff diff = diff_of(scene);
  const std::string patch = patch_of(diff);
  INFO(patch);
  CHECK(has(patch, "--- a/changed\n+++ b/changed\n@@ -1,3 +1,4 @@\n 1\n-2\n+two\n 3\n+4\n"));
  CHECK(has(patch, "deleted file mode 100644"));
  CHECK(has(patch, "+++ b/sub/made\n@@ -0,0 +1 @@\n+new\n"));
  CHECK(has(patch, "old mode 100644\nnew mode 100755\n"));
  CHECK(has(patch, "-a\n\\ No newline at end of file\n+b\n"));
  CHECK(*diff.count() == DiffCount{5, 4, 3});
  CHECK(has(*diff.stat(60), "5 files changed, 4 insertions(+), 3 deletions(-)"));
  CHECK(diff.notes().empty());
}

TEST_CASE("a diff applies to what was there, whatever the names and bytes are") {
  if (!has_git()) return;
  const Scene scene;
  // A name of every byte that a name may have, in files of 50 bytes each.
  scene.sh(
      "i=1; while [ $i -lt 256 ]; do [ $i = 47 ] || "
      "printf \"$i\\r\\n\\033[31m\\377\" > \"$(printf \"x\\\\$(printf %03o $i)y\")\"; "
      "i=$((i+1)); done; printf '\\000bin' > binary; cp -r . ../copy");
  scene.snapshot();
  scene.sh(
      "for f in x*; do echo more >> \"$f\"; done; printf 'no line feed' > 'last one'; "
      "printf '\\001\\000' >> binary; printf '\\000new' > 'new binary'");
  const Diff diff = diff_of(scene);
  std::ofstream(scene.file("patch")) << text_of(diff.whole_patch());
  scene.sh("git apply --whitespace=nowarn ../patch", scene.file("copy"));
  CHECK(picture(scene.file("copy")) == picture(scene.work()));
  CHECK(diff.count()->files == 257);
  CHECK(has(patch_of(diff), "Binary files a/binary and b/binary differ"));
}

TEST_CASE("what git ignores is not in a diff, unless it is tracked") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh(
      "git init -q .; git config user.email a@b; git config user.name a; "
      "echo '*.o' > .gitignore; echo 1 > kept.o; git add -f .gitignore kept.o; "
      "git commit -qm first");
  scene.snapshot();
  scene.sh("echo 2 > kept.o; echo x > made.o; git commit -qam second");
  CHECK(has(patch_of(diff_of(scene)), "b/kept.o"));
  CHECK(*diff_of(scene).count() == DiffCount{1, 1, 1});
}

TEST_CASE("nothing in the repository decides what a diff shows or runs") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh(
      "git init -q .; echo one > main.c; printf '#!/bin/sh\\ntouch %s/owned\\n' \"$PWD\" > "
      "tool; chmod +x tool");
  scene.snapshot();
  scene.sh(
      "git config diff.evil.textconv \"$PWD/tool\"; git config diff.evil.command "
      "\"$PWD/tool\"; git config diff.external \"$PWD/tool\"; git config core.fsmonitor "
      "\"$PWD/tool\"; git config filter.evil.clean \"$PWD/tool\"; "
      "echo '* diff=evil filter=evil' > .git/info/attributes; "
      "echo '* -diff' > .gitattributes; echo two > main.c");
  const std::string patch = patch_of(diff_of(scene));
  CHECK(has(patch, "-one\n+two\n"));
  CHECK(has(patch, "b/.gitattributes"));
  CHECK_FALSE(fs::exists(scene.file("work/owned")));
}

TEST_CASE("a link in the place of a folder leads nowhere in a diff") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("mkdir sub; echo mine > sub/file; mkdir ../other; echo secret > ../other/file");
  scene.snapshot();
  scene.sh("rm -r sub; ln -s ../other sub");
  const std::string patch = patch_of(diff_of(scene));
  INFO(patch);
  CHECK(has(patch, "-mine"));
  CHECK(has(patch, "+../other"));
  CHECK_FALSE(has(patch, "secret"));
}

TEST_CASE("names that git does not take are told, and hide nothing else") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("echo one > file");
  scene.snapshot();
  scene.sh(
      "echo two > file; mkdir -p a/.GIT 'c:' 'git~1'; echo x > a/.GIT/x; echo y > 'c:/y'; "
      "echo z > 'git~1/z'; ln -s x .gitmodules");
  const Diff diff = diff_of(scene);
  const std::string patch = patch_of(diff);
  INFO(patch);
  CHECK(has(patch, "-one\n+two\n"));
  CHECK(has(patch, "git~1/z"));
  CHECK(diff.notes() == std::vector<std::string>{".gitmodules differs, but git takes no such name",
                                                 "a/.GIT/x differs, but git takes no such name"});
}

TEST_CASE("files that are too large, closed, or not in the snapshot are told as binary ones") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("head -c 9000000 /dev/zero | tr '\\0' a > large; echo small > small");
  scene.snapshot();
  scene.sh("echo more >> large; echo more >> small; rm -f pipe; mkfifo pipe");
  const Diff diff = diff_of(scene);
  const std::string patch = patch_of(diff);
  INFO(patch);
  CHECK(has(patch, "Binary files a/large and b/large differ"));
  CHECK(has(patch, "+more"));
  const std::string whole = text_of(diff.whole_patch());
  INFO(whole);
  CHECK(has(whole, "Binary files a/large and b/large differ"));
  CHECK(has(whole, "+more"));
  CHECK(*diff.count() == DiffCount{2, 1, 0});
}

TEST_CASE("a diff with a later snapshot does not have what came after that") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("echo one > file; echo same > other");
  scene.snapshot();
  scene.sh("echo two > file; touch -d 2001-01-01 other");
  const auto taken = take_snapshot({.work_dir = scene.work(), .folder = scene.file("later")});
  REQUIRE(taken.ok());
  scene.sh("echo three > file; echo new > new");
  const std::string patch = patch_of(diff_of(scene, scene.file("later")));
  CHECK(has(patch, "-one\n+two\n"));
  CHECK_FALSE(has(patch, "b/new"));
  CHECK(diff_of(scene, scene.file("later")).count()->files == 1);
  fs::remove_all(scene.work());
  CHECK(diff_of(scene, scene.file("later")).count()->files == 1);
}

TEST_CASE("a diff of commits obeys no setting of their repository") {
  if (!has_git()) return;
  const Scene scene;
  const std::string format = GENERATE("sha1", "sha256");
  scene.sh("git init -q --object-format=" + format +
           " .; git config user.email a@b; git config user.name a; echo one > a; git add .; "
           "git commit -qm 1; echo two > a; git commit -qam 2; "
           "git config diff.external false; echo '* -diff' > .git/info/attributes");
  const auto commit = [&scene](const std::string& name) {
    std::string text = scene.sh("git rev-parse " + name);
    text.pop_back();
    return text;
  };
  const auto diff = Diff::of_commits(
      {.repository = scene.work(), .before = commit("HEAD~1"), .after = commit("HEAD")});
  REQUIRE(diff.ok());
  CHECK(has(patch_of(*diff), "-one\n+two\n"));
  CHECK_FALSE(
      Diff::of_commits({.repository = scene.work(), .before = "", .after = "--output=x"}).ok());
}

}  // namespace orch::repo
