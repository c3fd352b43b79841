// orch diff: what a run changed.
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// Runs a program in the project, with a snapshot before it.
void run_with_snapshot(const Workspace& workspace, const std::string& script,
                       const std::string& issue = "7", Words more = {}) {
  more.emplace_back("--require-changes");
  const Outcome outcome = Program(workspace.shell(script, more, issue)).finish();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

}  // namespace

TEST_CASE("orch diff tells what the newest run changed, in the forms that are wanted") {
  const Workspace workspace;
  workspace.write("project/main.c", "one\n");
  run_with_snapshot(workspace, "echo two > main.c; echo new > made.c");
  const Outcome outcome = run_orch(workspace, {"diff"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(holds(outcome.out, "--- a/main.c\n+++ b/main.c\n@@ -1 +1 @@\n-one\n+two\n"));
  CHECK(holds(outcome.out, "+++ b/made.c\n"));
  CHECK(
      holds(run_orch(workspace, {"diff", "7", "--stat"}).out, "2 files changed, 2 insertions(+)"));
  CHECK(holds(run_orch(workspace, {"diff", "7", "--color", "always"}).out, "\x1b[31m-one\x1b[m\n"));
  const Json json = Json::parse(run_orch(workspace, {"diff", "--json"}).out);
  CHECK(json.at("files") == 2);
  CHECK(json.at("added") == 2);
  CHECK(json.at("removed") == 1);
  const std::string file = workspace.file("patch");
  CHECK(run_orch(workspace, {"diff", "-o", file}).out.empty());
  CHECK(content_of(file) == outcome.out);
  CHECK(run_orch(workspace, {"diff", "8"}).code == 4);
}

TEST_CASE("git takes back the patch of a run in a subfolder of a repository") {
  const Workspace workspace;
  make_repository(workspace);
  run_with_snapshot(workspace, "git mv two.c three.c; mkdir new; echo new > new/made.c", "7",
                    {"--cwd", "sub"});
  const std::string patch = workspace.file("patch");
  const Outcome outcome = run_orch(workspace, {"diff", "7", "-o", patch});
  INFO(outcome.err << content_of(patch));
  REQUIRE(outcome.code == 0);
  const std::string folder = GENERATE(".", "sub");
  shell_output(workspace, "cd " + folder + "; git apply -R " + patch);
  shell_output(workspace, "git reset -q");
  CHECK(shell_output(workspace, "git status --porcelain").empty());
}

TEST_CASE("names and lines with controls are harmless on a terminal, and exact in a pipe") {
  const Workspace workspace;
  run_with_snapshot(
      workspace,
      "printf '\\033]0;owned\\007\\n' > \"$(printf 'a\\033[2Jb')\"; printf '\\302\\2331m\\n' > x");
  const Outcome piped = run_orch(workspace, {"diff"});
  CHECK(holds(piped.out, "+\x1b]0;owned\x07\n"));
  CHECK(holds(piped.out, "\"b/a\\033[2Jb\""));
  Launch launch = workspace.orch({"diff", "--color", "never"});
  launch.terminal = {100, 30};
  launch.errors_on_terminal = true;
  Program program(launch);
  const Outcome shown = program.finish();
  for (const char* control : {"\x1b", "\x07", "\xc2\x9b"}) CHECK_FALSE(holds(shown.out, control));
  CHECK(holds(shown.out, "owned"));
}

TEST_CASE("what the next run and its user did there is not told as the first run's") {
  const Workspace workspace;
  workspace.write("project/main.c", "one\n");
  run_with_snapshot(workspace, "echo two > main.c", "1");
  run_with_snapshot(workspace, "echo three > main.c; echo new > new.c", "2");
  const Outcome first = run_orch(workspace, {"diff", "1"});
  CHECK(holds(first.out, "-one\n+two\n"));
  CHECK_FALSE(holds(first.out, "new.c"));
  CHECK(first.err.empty());
  CHECK(holds(run_orch(workspace, {"diff", "2"}).out, "-two\n+three\n"));
}

TEST_CASE("the diff of an issue is that of all its runs, without what its user did between them") {
  const Workspace workspace;
  for (const char* name : {"a", "b", "c", "d"}) {
    workspace.write(std::string("project/") + name, "one\n");
  }
  run_with_snapshot(workspace, "echo two > a; echo two > c; echo two > d");
  workspace.write("project/b", "mine\n");
  workspace.write("project/d", "mine\n");
  run_with_snapshot(workspace, "echo three > a; echo three > d; echo new > e");
  workspace.write("project/b", "mine again\n");
  workspace.write("project/a", "mine\n");
  run_with_snapshot(workspace, "echo newer > e");
  const Outcome issue = run_orch(workspace, {"diff", "7"});
  INFO(issue.out << issue.err);
  CHECK(issue.err.empty());
  CHECK(holds(issue.out, "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+three\n"));
  CHECK(holds(issue.out, "--- a/c\n+++ b/c\n@@ -1 +1 @@\n-one\n+two\n"));
  CHECK(holds(issue.out, "--- a/d\n+++ b/d\n@@ -1 +1 @@\n-mine\n+three\n"));
  CHECK(holds(issue.out, "+++ b/e\n"));
  CHECK_FALSE(holds(issue.out, "b/b"));
  CHECK_FALSE(holds(issue.out, "mine again"));
  const Json json = Json::parse(run_orch(workspace, {"diff", "--json"}).out);
  CHECK(json.at("files") == 4);
  CHECK(json.at("runs").size() == 3);
  const std::string last = json.at("run");
  const Outcome run = run_orch(workspace, {"diff", last});
  CHECK(holds(run.out, "-new\n+newer\n"));
  CHECK_FALSE(holds(run.out, "b/a"));
  const Json rows = Json::parse(run_orch(workspace, {"runs", "--summary", "--json"}).out);
  CHECK(rows.at(0).at("summary").at("files") == 4);
  CHECK(rows.at(1).at("summary").at("files") == 3);
}

TEST_CASE("a run that is named after its prompt or program begins an issue of its own") {
  const Workspace workspace;
  workspace.write("project/a", "one\n");
  for (const char* text : {"two", "three"}) {
    Launch launch = workspace.orch(
        {"run", "--require-changes", "--", "/bin/sh", "-c", std::string("echo ") + text + " > a"});
    REQUIRE(Program(launch).finish().code == 0);
  }
  CHECK(holds(run_orch(workspace, {"diff"}).out, "-two\n+three\n"));
}

TEST_CASE("of a worktree that is gone the commits are told, and of one that stands all of it") {
  const Workspace workspace;
  Launch launch = workspace.orch({});
  launch.argv = {"/bin/sh", "-ec",
                 "git init -q -b main .; git config user.email a@b; git config user.name a; "
                 "echo one > main.c; git add .; git commit -qm first"};
  REQUIRE(Program(launch).finish().code == 0);
  run_with_snapshot(workspace, "echo two > main.c; git commit -qam second", "1", {"--worktree"});
  REQUIRE_FALSE(fs::exists(workspace.project() + ".orch/1"));
  const Outcome gone = run_orch(workspace, {"diff", "1"});
  INFO(gone.err);
  CHECK(holds(gone.out, "-one\n+two\n"));
  CHECK(holds(gone.err, "its last commit"));
  run_with_snapshot(workspace, "echo three > main.c; echo new > new.c", "2", {"--worktree"});
  REQUIRE(fs::exists(workspace.project() + ".orch/2"));
  CHECK(holds(run_orch(workspace, {"diff", "2", "--stat"}).out, "2 files changed"));
  // Another folder in the place of the worktree is not compared with.
  // It is made before the worktree goes, so that it does not get its inode.
  const std::string worktree = workspace.project() + ".orch/2";
  fs::create_directories(worktree + ".new");
  fs::remove_all(worktree);
  fs::rename(worktree + ".new", worktree);
  CHECK_FALSE(holds(run_orch(workspace, {"diff", "2"}).out, "deleted file"));
}

TEST_CASE("without a snapshot a kept worktree is not told by its commits alone") {
  const Workspace workspace;
  Launch launch = workspace.orch({});
  launch.argv = {"/bin/sh", "-ec",
                 "git init -q -b main .; git config user.email a@b; git config user.name a; "
                 "git commit -q --allow-empty -m first"};
  REQUIRE(Program(launch).finish().code == 0);
  REQUIRE(Program(workspace.shell("echo x > new.c", {"--worktree"}, "1")).finish().code == 0);
  const Outcome outcome = run_orch(workspace, {"diff", "1"});
  CHECK(outcome.code == 4);
  CHECK(holds(outcome.err, "git -C " + workspace.project() + ".orch/1 diff"));
  fs::remove_all(workspace.project() + ".orch/1");
  const Outcome gone = run_orch(workspace, {"diff", "1"});
  const std::string note =
      workspace.project() + ".orch/1 is gone: what was not committed there is not known";
  CHECK(holds(gone.err, note));
  CHECK_FALSE(holds(gone.err, "changed no file"));
  const Json json = Json::parse(run_orch(workspace, {"diff", "1", "--json"}).out);
  CHECK(json.at("notes").at(0) == "worktree " + note);
}

TEST_CASE("a run of which nothing was kept says why it has no diff") {
  const Workspace workspace;
  REQUIRE(Program(workspace.shell("echo x > made.c")).finish().code == 0);
  const Outcome outcome = run_orch(workspace, {"diff"});
  CHECK(outcome.code == 4);
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(holds(outcome.err, "for a program after -- only with --require-changes or --approve"));
}

TEST_CASE("a diff that is written into the folder is not a part of itself") {
  const Workspace workspace;
  workspace.write("project/main.c", "one\n");
  run_with_snapshot(workspace, "echo two > main.c");
  Launch launch = workspace.orch({"diff"});
  Words argv{"/bin/sh", "-c", "exec \"$@\" > changes.patch", "sh"};
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  launch.argv = std::move(argv);
  REQUIRE(Program(launch).finish().code == 0);
  const std::string patch = content_of(workspace.file("project/changes.patch"));
  CHECK(holds(patch, "+two"));
  CHECK_FALSE(holds(patch, "changes.patch"));
}

TEST_CASE("a patch or a page goes through no link that an agent may have made") {
  const Workspace workspace;
  workspace.write("project/main.c", "one\n");
  const std::string profile = workspace.write("home/.bashrc", "alias ll='ls -l'\n");
  run_with_snapshot(workspace,
                    "echo two > main.c; ln -s ../home/.bashrc 42.patch; ln -s ../home/.bashrc "
                    "page.html; ln -s ../home door; mkfifo pipe");
  for (const Words& words :
       {Words{"diff", "-o", "42.patch"}, Words{"diff", "-o", "door/x"}, Words{"diff", "-o", "pipe"},
        Words{"diff", "--stat", "-o", "42.patch"}, Words{"report", "-o", "page.html"},
        Words{"report", "-o", "door/x"}, Words{"report", "--all", "-o", "page.html"},
        Words{"report", "--all", "-o", workspace.project() + "/door/x"}}) {
    const Outcome outcome = run_orch(workspace, words);
    INFO(words.back() << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(lines_of(outcome.err).size() == 1);
    const bool named = holds(outcome.err, " is a link ") || holds(outcome.err, "regular file");
    CHECK(named);
  }
  // Also when the folder is no longer the one that orch is called in.
  Launch launch = workspace.orch({"diff", "7", "-o", "../project/42.patch"});
  launch.cwd = workspace.file("home");
  CHECK(Program(launch).finish().code == 2);
  CHECK(content_of(profile) == "alias ll='ls -l'\n");
  CHECK(names_in(workspace.file("home")) == Words{".bashrc"});
}

TEST_CASE("a log that is named for all orchs goes through no such link") {
  const Workspace workspace;
  const std::string profile = workspace.write("home/.bashrc", "alias ll='ls -l'\n");
  run_with_snapshot(workspace, "ln -s ../home/.bashrc orch.log");
  Launch launch = workspace.orch({"sessions"});
  launch.env.emplace_back("ORCH_LOG=debug,file:orch.log");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(holds(outcome.err, "ORCH_LOG: "));
  CHECK(content_of(profile) == "alias ll='ls -l'\n");
}

TEST_CASE("a patch goes where the user's own link leads, and to devices and pipes") {
  const Workspace workspace;
  workspace.write("project/main.c", "one\n");
  run_with_snapshot(workspace, "echo two > main.c");
  const std::string patch = run_orch(workspace, {"diff"}).out;
  fs::create_symlink(workspace.file("home"), workspace.file("door"));
  fs::create_symlink(workspace.file("home/kept"), workspace.file("link"));
  CHECK(run_orch(workspace, {"diff", "-o", workspace.file("link")}).code == 0);
  CHECK(content_of(workspace.file("home/kept")) == patch);
  CHECK(run_orch(workspace, {"diff", "-o", workspace.file("door/x")}).code == 0);
  CHECK(content_of(workspace.file("home/x")) == patch);
  CHECK(run_orch(workspace, {"diff", "-o", "/dev/stdout"}).out == patch);
  CHECK(run_orch(workspace, {"diff", "-o", "/dev/null"}).code == 0);
  CHECK(run_orch(workspace, {"diff", "-o", "42.patch"}).code == 0);
  CHECK(content_of(workspace.file("project/42.patch")) == patch);
}

TEST_CASE("a state directory is reached through no link that an agent may have made") {
  const Workspace workspace;
  run_with_snapshot(workspace, "ln -s ../home .state");
  const Outcome outcome = run_orch(workspace, {"sessions", "--state-dir", ".state"});
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, ".state is a link in a folder where agents write"));
  CHECK(names_in(workspace.file("home")).empty());
}
