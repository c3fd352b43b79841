// --worktree: an agent in a git worktree of its own, and what is left of it.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

bool has_branch(const Workspace& workspace) {
  return !shell_output(workspace, "git branch --list orch/7").empty();
}

RunFolder runs_in_worktree(const Workspace& workspace, const std::string& script,
                           Outcome* told = nullptr) {
  const Outcome outcome = Program(workspace.shell(script, {"--worktree"})).finish();
  if (told != nullptr) *told = outcome;
  return check_ending(workspace, outcome, "exit", 0);
}

void check_refused(const Outcome& outcome, const std::string& text) {
  CHECK(outcome.code == 2);
  CHECK(lines_of(outcome.err).size() == 1);
  INFO(outcome.err);
  CHECK(outcome.err.find(text) != std::string::npos);
}

}  // namespace

TEST_CASE("a run that leaves nothing leaves no worktree") {
  const Workspace workspace;
  make_repository(workspace);
  Outcome outcome;
  const RunFolder run = runs_in_worktree(
      workspace, "pwd; git branch --show-current; cat main.c; touch ignored.o", &outcome);
  CHECK(run.record.at("cwd") == worktree(workspace));
  CHECK(run.record.at("repository") == fs::canonical(workspace.project()).string());
  CHECK(run.transcript.find("orch/7\n") != std::string::npos);
  CHECK_FALSE(fs::exists(worktree(workspace)));
  CHECK_FALSE(fs::exists(fs::path(worktree(workspace)).parent_path()));
  CHECK_FALSE(has_branch(workspace));
  CHECK(run.result.at("worktree").at("kept") == false);
  CHECK(run.record.at("git_after") == run.record.at("git_before"));
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(shell_output(workspace, "git worktree list | wc -l") == "1\n");
}

TEST_CASE("commits stay on the branch, and the worktree goes") {
  const Workspace workspace;
  make_repository(workspace);
  Outcome outcome;
  const RunFolder run =
      runs_in_worktree(workspace, "echo 2 > main.c; git commit -qam second", &outcome);
  CHECK_FALSE(fs::exists(worktree(workspace)));
  CHECK(has_branch(workspace));
  CHECK(shell_output(workspace, "git show orch/7:main.c; cat main.c") == "2\none\n");
  CHECK(run.result.at("worktree").at("branch_kept") == true);
  CHECK(run.record.at("git_after") != run.record.at("git_before"));
  CHECK(outcome.err.find("its commits are on branch orch/7\n") != std::string::npos);
  check_refused(Program(workspace.shell("true", {"--worktree"})).finish(), "orch retry 7");
}

TEST_CASE("what is not committed keeps the worktree") {
  const Workspace workspace;
  make_repository(workspace);
  const char* script = GENERATE("touch new.c", "echo 2 > main.c", "rm main.c",
                                "echo 2 > main.c; git add .", "mkdir n; git init -q n; touch n/x");
  Outcome outcome;
  const RunFolder run = runs_in_worktree(workspace, script, &outcome);
  CHECK(fs::exists(worktree(workspace)));
  CHECK(has_branch(workspace));
  CHECK(run.result.at("worktree").at("kept") == true);
  CHECK(run.record.at("verdict").at("worktree").at("path") == worktree(workspace));
  CHECK(outcome.err.find("worktree kept: " + worktree(workspace)) != std::string::npos);
  check_refused(Program(workspace.shell("true", {"--worktree"})).finish(), "orch retry 7");
}

TEST_CASE("work that git status does not report keeps the worktree of a completed run") {
  const Workspace workspace;
  make_repository(workspace);
  workspace.write("project/.gitignore", "*.o\n.claude/\n");
  shell_output(workspace, "git commit -qam ignore");
  const std::string script =
      GENERATE("git worktree add -q .claude/worktrees/a -b side; echo work > .claude/worktrees/a/x",
               "git update-index --skip-worktree main.c; echo 2 > main.c");
  Outcome outcome;
  const RunFolder run = runs_in_worktree(workspace, script, &outcome);
  INFO(outcome.err);
  CHECK(run.result.at("worktree").at("kept") == true);
  CHECK(outcome.err.find("worktree kept: " + worktree(workspace)) != std::string::npos);
  CHECK(fs::exists(worktree(workspace) + "/main.c"));
}

TEST_CASE("a run says that its issue has a worktree in which it does not work") {
  const Workspace workspace;
  make_repository(workspace);
  runs_in_worktree(workspace, "touch new.c");
  const Outcome again = Program(workspace.shell("pwd")).finish();
  CHECK(again.code == 0);
  INFO(again.err);
  CHECK(holds(again.err, "issue 7 has a worktree from an earlier run, " + worktree(workspace)));
  CHECK(holds(again.err, "orch retry 7"));
  CHECK_FALSE(holds(Program(workspace.shell("pwd", {}, "8")).finish().err, "has a worktree"));
}

TEST_CASE("a retry makes a worktree anew that was removed by hand") {
  const Workspace workspace;
  make_repository(workspace);
  runs_in_worktree(workspace, "touch new.c; echo x >> main.c; git commit -qam more");
  fs::remove_all(worktree(workspace));
  const Outcome again = Program(workspace.orch({"retry", "7"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(shell_output(workspace, "git rev-list --count orch/7") == "3\n");
}

TEST_CASE("a run that failed keeps its worktree, and a retry goes on in it") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome first =
      Program(workspace.shell("test -e begun && rm begun && exit 0; touch begun; exit 3",
                              {"--worktree"}))
          .finish();
  CHECK(first.code == 1);
  CHECK(first.err.find("worktree kept: ") != std::string::npos);
  const Outcome second = Program(workspace.orch({"retry", "7"})).finish();
  INFO(second.err);
  CHECK(second.code == 0);
  CHECK_FALSE(fs::exists(worktree(workspace)));
}

TEST_CASE("a remedy that needs the record of a run is named only while it is there") {
  const Workspace workspace;
  make_repository(workspace);
  const Launch launch = workspace.shell("touch new.c", {"--worktree"});
  REQUIRE(Program(launch).finish().code == 0);
  const Outcome known = Program(launch).finish();
  CHECK(known.code == 2);
  CHECK(known.err.find("orch retry 7 or orch continue 7 goes on in it") != std::string::npos);
  REQUIRE(run_orch(workspace, {"gc", "--older-than", "0s", "--yes"}).code == 0);
  const Outcome unknown = Program(launch).finish();
  INFO(unknown.err);
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("orch retry") == std::string::npos);
  const std::string path = worktree(workspace);
  const std::string moves = "git -C '" + path + "' branch -m NAME && git worktree move '" + path;
  CHECK(unknown.err.find(moves + "' PLACE keeps its work") != std::string::npos);
  shell_output(workspace, "git -C " + path + " branch -m mine && git worktree move " + path +
                              " ../mine && test -e ../mine/new.c");
  CHECK(Program(launch).finish().code == 0);
}

TEST_CASE("a retry takes up the branch of a worktree that is gone") {
  const Workspace workspace;
  make_repository(workspace);
  runs_in_worktree(workspace, "echo x >> main.c; git commit -qam more");
  const Outcome again = Program(workspace.orch({"retry", "7"})).finish();
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(shell_output(workspace, "git rev-list --count orch/7") == "3\n");
}

TEST_CASE("several issues have a worktree each, and their gates run there") {
  const Workspace workspace;
  make_repository(workspace);
  Launch launch = workspace.orch({"run", "1", "2", "--worktree", "--require-changes", "--verify",
                                  "git commit -qam \"$(pwd)\"", "--", "sh", "-c", "pwd > main.c"});
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  for (const char* issue : {"1", "2"}) {
    CHECK(shell_output(workspace, "git show orch/" + std::string(issue) + ":main.c") ==
          worktree(workspace, issue) + "\n");
    CHECK_FALSE(fs::exists(worktree(workspace, issue)));
  }
}

TEST_CASE("the agent runs in the folder of the worktree that it was to run in") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome outcome =
      Program(workspace.shell("cat two.c", {"--worktree", "--cwd", "sub"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(run.record.at("cwd") == worktree(workspace) + "/sub");
  CHECK_FALSE(fs::exists(worktree(workspace)));
}

TEST_CASE("git obeys nothing that a repository's configuration names") {
  const Workspace workspace;
  make_repository(workspace);
  // Programs as an earlier agent may have left them.
  shell_output(
      workspace,
      "for it in hooks filter fsmonitor; do "
      "printf '#!/bin/sh\\ntouch %s/owned-%s; cat\\n' \"$PWD\" $it > $it.sh; chmod +x $it.sh; "
      "done; for hook in post-checkout post-index-change reference-transaction; do "
      "cp hooks.sh .git/hooks/$hook; done; "
      "git config core.fsmonitor \"$PWD/fsmonitor.sh\"; "
      "git config filter.evil.smudge \"$PWD/filter.sh\"; "
      "git config filter.evil.clean \"$PWD/filter.sh\"; "
      "git config filter.evil.required true; "
      "echo '* filter=evil' > .git/info/attributes");
  shell_output(workspace, "rm -f owned-*");
  runs_in_worktree(workspace, "touch -d 2001-01-01 main.c");
  CHECK_FALSE(fs::exists(workspace.file("project/owned-hooks")));
  CHECK_FALSE(fs::exists(workspace.file("project/owned-filter")));
  CHECK_FALSE(fs::exists(workspace.file("project/owned-fsmonitor")));
  CHECK_FALSE(fs::exists(worktree(workspace)));
}

TEST_CASE("what is not in a worktree is said") {
  const Workspace workspace;
  make_repository(workspace);
  shell_output(
      workspace,
      "git init -q ../other; (cd ../other; git -c user.name=a -c user.email=a@b commit "
      "--allow-empty -qm x); git -c protocol.file.allow=always submodule --quiet add ../other "
      "mod; echo '*.bin filter=lfs' > .gitattributes; echo pointer > a.bin; git add .; "
      "git commit -qm more");
  Outcome outcome;
  runs_in_worktree(workspace, "test -d mod", &outcome);
  CHECK(outcome.err.find("1 submodule is not there") != std::string::npos);
  CHECK(outcome.err.find("of 1 file in Git LFS only the pointers") != std::string::npos);
  CHECK_FALSE(fs::exists(worktree(workspace)));
}

TEST_CASE("where no worktree can be made the reason is one line") {
  const Workspace workspace;
  const Launch launch = workspace.shell("true", {"--worktree"});
  SECTION("no repository") { check_refused(Program(launch).finish(), "is in no git repository"); }
  SECTION("a bare one") {
    shell_output(workspace, "git init -q --bare .");
    check_refused(Program(launch).finish(), "is a bare repository");
  }
  SECTION("one without a commit") {
    shell_output(workspace, "git init -q .");
    check_refused(Program(launch).finish(), "has no commit to begin from");
  }
  SECTION("a path that is there") {
    make_repository(workspace);
    fs::create_directories(worktree(workspace));
    check_refused(Program(launch).finish(), "move it away");
    CHECK_FALSE(has_branch(workspace));
  }
  SECTION("a branch in the way") {
    make_repository(workspace);
    shell_output(workspace, "git branch orch");
    check_refused(Program(launch).finish(), "refs/heads/orch");
    CHECK_FALSE(fs::exists(worktree(workspace)));
  }
  SECTION("a folder that is not in the commit") {
    make_repository(workspace);
    fs::create_directories(workspace.file("project/later"));
    check_refused(Program(workspace.shell("true", {"--worktree", "--cwd", "later"})).finish(),
                  "is not in the commit");
    CHECK_FALSE(fs::exists(worktree(workspace)));
    CHECK_FALSE(has_branch(workspace));
  }
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("a program that is not there leaves no worktree") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome outcome =
      Program(workspace.orch({"run", "7", "--worktree", "--", "no-such-program"})).finish();
  CHECK(outcome.code == 127);
  CHECK_FALSE(fs::exists(worktree(workspace)));
  CHECK_FALSE(has_branch(workspace));
}

TEST_CASE("a snapshot of a worktree is undone in it") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome outcome =
      Program(workspace.shell("echo 2 > main.c", {"--worktree", "--require-changes"})).finish();
  CHECK(outcome.code == 0);
  REQUIRE(fs::exists(worktree(workspace) + "/main.c"));
  const Outcome undone = Program(workspace.orch({"undo", "7", "--yes"})).finish();
  INFO(undone.err);
  CHECK(undone.code == 0);
  CHECK(content_of(worktree(workspace) + "/main.c") == "one\n");
}

namespace {

// The number of worktrees and of branches that orch has left.
std::string left_of(const Workspace& workspace) {
  return shell_output(workspace,
                      "git worktree list | sed 1d | wc -l; git branch --list 'orch/*' | wc -l");
}

}  // namespace

TEST_CASE("a worktree is made when its issue's turn comes") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome outcome = Program(workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--worktree",
                                                  "--", "sh", "-c", "git worktree list | wc -l"}))
                              .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  for (const char* issue : {"1", "2", "3"}) {
    CHECK(workspace.run_of(issue).transcript.find("2\n") != std::string::npos);
  }
  CHECK(left_of(workspace) == "0\n0\n");
}

TEST_CASE("what was not started of a batch leaves no worktree") {
  const Workspace workspace;
  make_repository(workspace);
  const int signum = GENERATE(SIGINT, SIGTERM);
  Program program(workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--worktree", "--", "sh",
                                  "-c", "echo ready; sleep 100"}));
  program.wait_for_output("ready");
  program.signal(signum);
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 128 + signum);
  CHECK(outcome.err.find("not started: interrupted") != std::string::npos);
  CHECK(left_of(workspace) == "1\n1\n");  // those of the interrupted issue
  CHECK(fs::exists(worktree(workspace, "1")));
  shell_output(workspace, "git worktree remove --force ../project.orch/1; git branch -D orch/1");
}

TEST_CASE("a rate limit leaves no worktree of what was not started") {
  const Workspace workspace;
  make_repository(workspace);
  Launch launch = workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--worktree", "--agent",
                                  "demo", "-p", "x", "--output", "quiet"});
  launch.env.emplace_back("ORCH_DEMO_SCENARIO=rate-limit");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 75);
  CHECK(left_of(workspace) == "1\n1\n");
}

TEST_CASE("an interrupt while a worktree is being made leaves nothing") {
  const Workspace workspace;
  make_repository(workspace);
  // A git that reports when `worktree add` begins, in .git, where it may write, and waits there
  // until the test lets it go on.
  const Gate gate(workspace.file("gate"));
  fs::create_directory(workspace.file("bin"));
  workspace.write("bin/git", "#!/bin/sh\ncase \"$*\" in *'worktree add '*) echo begun > " +
                                 workspace.file("project/.git/begun") + "; read word < " +
                                 workspace.file("gate") +
                                 ";; esac\nPATH=${PATH#*:} exec git \"$@\"\n");
  fs::permissions(workspace.file("bin/git"), fs::perms::owner_all);
  Launch launch = workspace.orch({"run", "1", "2", "--worktree", "--", "sh", "-c", "true"});
  for (std::string& entry : launch.env) {
    if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("bin") + ":");
  }
  Program program(launch);
  const Clock::time_point until = Clock::now() + kPatience;
  while (!fs::exists(workspace.file("project/.git/begun")) && Clock::now() < until)
    ::usleep(10'000);
  program.signal(SIGTERM);
  // The second issue ends at once.
  program.wait_for_error("orch: orch-2: not started: interrupted");
  gate.let_through();
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 143);
  CHECK(left_of(workspace) == "0\n0\n");
  CHECK_FALSE(fs::exists(worktree(workspace, "1")));
}

TEST_CASE("a run whose folder or log cannot be made leaves no worktree") {
  const Workspace workspace;
  make_repository(workspace);
  // The file system with the runs' folders has no room for a new folder, or for a file in it.
  const std::string options = GENERATE("ro", "nr_inodes=2");
  CAPTURE(options);
  // A git that reports, in .git, where it may write, that it has made a worktree.
  fs::create_directory(workspace.file("bin"));
  workspace.write("bin/git",
                  "#!/bin/sh\nPATH=${PATH#*:} git \"$@\" || exit\n"
                  "case \"$*\" in *'worktree add '*) echo made >>" +
                      workspace.file("project/.git/made") + ";; esac\n");
  fs::permissions(workspace.file("bin/git"), fs::perms::owner_all);
  Launch launch = workspace.orch({"run", "7", "--worktree", "--", "sh", "-c", "true"});
  for (std::string& entry : launch.env) {
    if (entry.starts_with("PATH=")) entry.insert(5, workspace.file("bin") + ":");
  }
  if (!may_mount(launch)) return;
  fs::create_directories(workspace.state() + "/runs");
  const Words words{"/usr/bin/unshare",
                    "--mount",
                    "/bin/sh",
                    "-c",
                    "mount -t tmpfs -o mode=700,$1 none $0; shift; exec \"$@\"",
                    workspace.state() + "/runs",
                    options};
  launch.argv.insert(launch.argv.begin(), words.begin(), words.end());
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 125);
  REQUIRE(content_of(workspace.file("project/.git/made")) == "made\n");
  CHECK(left_of(workspace) == "0\n0\n");
  CHECK_FALSE(fs::exists(worktree(workspace)));
}

TEST_CASE("a worktree that cannot be made fails its issue alone") {
  const Workspace workspace;
  make_repository(workspace);
  // The first issue puts something in the place of the second one's worktree.
  const Outcome outcome =
      Program(workspace.orch({"run", "1", "2", "3", "--jobs", "1", "--worktree", "--", "sh", "-c",
                              "mkdir -p ../2/mine; touch ../2/mine/x; pwd"}))
          .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("project.orch/2 is there, and is no worktree") != std::string::npos);
  CHECK(workspace.run_of("1").result.at("reason") == "exit");
  CHECK(workspace.run_of("3").result.at("reason") == "exit");
}

TEST_CASE("issues that begin in the background are named once their worktrees are there") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome outcome = Program(workspace.orch({"run", "1", "2", "-d", "--worktree", "--", "sh",
                                                  "-c", "git branch --show-current"}))
                              .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "orch-1\norch-2\n");
  const Clock::time_point until = Clock::now() + kPatience;
  while (left_of(workspace) != "0\n0\n" && Clock::now() < until) ::usleep(10'000);
  CHECK(left_of(workspace) == "0\n0\n");
}

TEST_CASE("what has ended before all have begun in the background is orch wait's to tell") {
  const Workspace workspace;
  make_repository(workspace);
  const Outcome outcome =
      Program(workspace.orch({"run", "1", "2", "-d", "--worktree", "--", "sh", "-c", "kill -9 $$"}))
          .finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "orch-1\norch-2\n");
  CHECK(Program(workspace.orch({"wait", "1", "2", "--until", "exited"})).finish().code == 137);
}

TEST_CASE("a batch goes on when the file of its orch is replaced and removed") {
  const Workspace workspace;
  make_repository(workspace);
  Launch launch = workspace.orch({"run", "1", "2", "3", "4", "--jobs", "1", "--worktree",
                                  "--require-changes", "--verify", "true", "--", "sh", "-c",
                                  "rm -f $ORCH_COPY; echo 2 > main.c; git commit -qam more"});
  const std::string copy = workspace.file("orch-copy");
  fs::copy_file(launch.argv.front(), copy);
  launch.argv.front() = copy;
  launch.env.push_back("ORCH_COPY=" + copy);
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  for (const char* issue : {"1", "2", "3", "4"})
    CHECK_FALSE(fs::exists(worktree(workspace, issue)));
}
