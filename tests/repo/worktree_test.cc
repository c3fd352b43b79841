// Worktrees that many processes make and remove at once, and how processes report them.
#include "repo/worktree.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "repo/folder_lock.h"
#include "scene.h"

namespace orch::repo {
namespace {

void make_small_repository(const Scene& scene) {
  scene.sh(
      "git init -q -b main .; git config user.email a@b; git config user.name a; "
      "echo one > main.c; git add .; git commit -qm first");
}

std::string root_of(const Scene& scene) {
  return std::filesystem::canonical(scene.work()).string();
}

// Makes a worktree and removes it again, `rounds` times; returns how often that failed.
int rounds_of(const std::string& root, int worker, int rounds) {
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string issue = std::to_string(worker) + "-" + std::to_string(round);
    const auto opened = open_worktree({.repository = root, .issue = issue, .folder = root});
    if (!opened) {
      ++wrong;
      continue;
    }
    const store::WorktreeEnd end = leave_worktree(*opened);
    if (end.kept || end.branch_kept) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_CASE("worktrees of one repository are made and removed by many at once") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  const std::string root = root_of(scene);
  constexpr int kWorkers = 8, kRounds = 3;
  std::vector<pid_t> workers;
  for (int worker = 0; worker < kWorkers; ++worker) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(rounds_of(root, worker, kRounds));
    workers.push_back(pid);
  }
  for (const pid_t pid : workers) {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(scene.sh("git worktree list | wc -l; git branch --list 'orch/*' | wc -l") == "1\n0\n");
}

TEST_CASE("a folder is held by one at a time, and leaves nothing in it") {
  const Scene scene;
  const std::string folder = scene.file("work");
  {
    const FolderLock lock(folder);
    REQUIRE(lock.held());
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execlp("flock", "flock", "-n", folder.c_str(), "true", nullptr);
      ::_exit(2);
    }
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    CHECK(WEXITSTATUS(status) == 1);
  }
  CHECK(FolderLock(folder).held());
  CHECK(std::filesystem::is_empty(folder));
  CHECK_FALSE(FolderLock(scene.file("none")).held());
}

TEST_CASE("what would be refused is told before anything is made") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  const std::string root = root_of(scene);
  WorktreeRequest wanted{.repository = root, .issue = "", .folder = root};
  CHECK(check_worktrees(wanted, {"1", "2"}).ok());
  scene.sh("git branch orch/2");
  const auto refused = check_worktrees(wanted, {"1", "2"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().text.find("orch/2 is there: if an earlier run made it") !=
        std::string::npos);
  wanted.earlier = WorktreeRequest::Earlier::kReuse;
  CHECK(check_worktrees(wanted, {"1", "2"}).ok());
  wanted.folder = root + "/later";
  CHECK_FALSE(check_worktrees(wanted, {"1"}).ok());
  CHECK_FALSE(check_worktrees({.repository = root, .issue = "", .folder = root}, {"a..b"}).ok());
  CHECK(scene.sh("git worktree list | wc -l") == "1\n");
}

TEST_CASE("what a process made is told to another, byte for byte") {
  Worktree worktree{.repository = "/r \n\xff",
                    .path = "/r.orch/1",
                    .folder = "/r.orch/1/sub",
                    .branch = "orch/1",
                    .created = true,
                    .notes = {"one", "two"}};
  const auto heard = opened_from_fields(to_fields(worktree));
  REQUIRE(heard.ok());
  CHECK(heard->repository == worktree.repository);
  CHECK(heard->folder == worktree.folder);
  CHECK(heard->created);
  CHECK(heard->notes == worktree.notes);
  const auto refused = opened_from_fields(to_fields(base::usage_error("no")));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == base::ErrorCode::kUsage);
  CHECK(refused.error().text == "no");
  CHECK_FALSE(opened_from_fields("").ok());
}

TEST_CASE("a worktree with work that git status does not report stays") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.sh(
      "printf 'ignored/\n.claude/\n' > .gitignore; echo two > b.c; git add .; git commit -qm b");
  const std::string root = root_of(scene);
  const auto opened = open_worktree({.repository = root, .issue = "1", .folder = root});
  REQUIRE(opened.ok());
  std::string why;
  SECTION("a linked worktree in an ignored folder") {
    scene.sh("git worktree add -q .claude/worktrees/a -b side", opened->path);
    why = ".claude/worktrees/a is a git worktree of its own";
  }
  SECTION("a clone with a file that is not committed") {
    scene.sh("git clone -q . ignored/a/clone; touch ignored/a/clone/new", opened->path);
    why = "ignored/a/clone is a git repository with work of its own";
  }
  SECTION("a clone with a commit of its own") {
    scene.sh(
        "git clone -q . ignored/clone; cd ignored/clone; git config user.email a@b; "
        "git config user.name a; git commit -q --allow-empty -m own",
        opened->path);
    why = "ignored/clone is a git repository with work of its own";
  }
  SECTION("a clone with a stash") {
    scene.sh(
        "git clone -q . ignored/clone; cd ignored/clone; git config user.email a@b; "
        "git config user.name a; echo 3 > main.c; git stash -q",
        opened->path);
    why = "ignored/clone is a git repository with work of its own";
  }
  SECTION("a new repository") {
    scene.sh("git init -q ignored/new", opened->path);
    why = "ignored/new is a git repository with work of its own";
  }
  SECTION("a bare repository") {
    scene.sh("git init -q --bare ignored/bare.git", opened->path);
    why = "ignored/bare.git is a git repository of its own";
  }
  SECTION("an edit under assume-unchanged") {
    scene.sh("git update-index --assume-unchanged b.c main.c; echo three > b.c", opened->path);
    why = "b.c has changes that git was asked to overlook (assume-unchanged)";
  }
  SECTION("an edit under skip-worktree") {
    scene.sh("git update-index --skip-worktree b.c; echo three > b.c", opened->path);
    why = "b.c has changes that git was asked to overlook (skip-worktree)";
  }
  SECTION("a mode under assume-unchanged") {
    scene.sh("git update-index --assume-unchanged b.c; chmod +x b.c", opened->path);
    why = "b.c has changes that git was asked to overlook (assume-unchanged)";
  }
  const store::WorktreeEnd end = leave_worktree(*opened);
  CHECK(end.kept);
  CHECK(end.why == why);
  CHECK(std::filesystem::exists(opened->path));
}

TEST_CASE("a worktree goes although it has clones without work, ignored files and a sparse index") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  scene.sh("echo ignored/ > .gitignore; echo two > b.c; git add .; git commit -qm b");
  const std::string root = root_of(scene);
  const auto opened = open_worktree({.repository = root, .issue = "1", .folder = root});
  REQUIRE(opened.ok());
  scene.sh(
      "git clone -q . ignored/clone; touch ignored/file; git update-index --skip-worktree b.c; "
      "rm b.c; git update-index --assume-unchanged main.c",
      opened->path);
  const store::WorktreeEnd end = leave_worktree(*opened);
  CHECK(end.why.empty());
  CHECK_FALSE(end.kept);
  CHECK_FALSE(std::filesystem::exists(opened->path));
}

TEST_CASE("a worktree that was removed by hand is made anew") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  const std::string root = root_of(scene);
  WorktreeRequest wanted{.repository = root, .issue = "1", .folder = root};
  const auto opened = open_worktree(wanted);
  REQUIRE(opened.ok());
  scene.sh("git commit -q --allow-empty -m own", opened->path);
  std::filesystem::remove_all(opened->path);
  const auto refused = check_worktrees(wanted, {"1"});
  REQUIRE_FALSE(refused.ok());
  const std::string command = "git worktree prune && git branch -m orch/1 NAME";
  CHECK(refused.error().text.find(command) != std::string::npos);
  wanted.earlier = WorktreeRequest::Earlier::kReuse;
  CHECK(check_worktrees(wanted, {"1"}).ok());
  const auto again = open_worktree(wanted);
  REQUIRE(again.ok());
  CHECK(again->created);
  CHECK(scene.sh("git log -1 --format=%s", again->path) == "own\n");
  std::filesystem::remove_all(opened->path);
  scene.sh(command);  // the command of the message works
  wanted.earlier = WorktreeRequest::Earlier::kRefuse;
  CHECK(open_worktree(wanted).ok());
}

TEST_CASE("a worktree that is gone with its only commit, or locked, is not made anew") {
  if (!has_git()) return;
  const Scene scene;
  make_small_repository(scene);
  const std::string root = root_of(scene);
  const WorktreeRequest wanted{.repository = root,
                               .issue = "1",
                               .folder = root,
                               .earlier = WorktreeRequest::Earlier::kReuse};
  const auto opened = open_worktree(wanted);
  REQUIRE(opened.ok());
  std::string remedy;
  SECTION("a commit on no branch") {
    scene.sh("git checkout -q --detach; git commit -q --allow-empty -m own", opened->path);
    remedy = "branch NAME " + scene.sh("git rev-parse HEAD", opened->path);
    remedy.pop_back();
  }
  SECTION("locked") {
    scene.sh("git worktree lock .", opened->path);
    remedy = "worktree unlock";
  }
  SECTION("its branch is checked out elsewhere") {
    scene.sh("git checkout -q --detach", opened->path);
    scene.sh("git checkout -q orch/1");
    remedy = "git -C '" + root + "' switch --detach";
  }
  std::filesystem::remove_all(opened->path);
  const auto again = open_worktree(wanted);
  REQUIRE_FALSE(again.ok());
  INFO(again.error().text);
  CHECK(again.error().text.find(remedy) != std::string::npos);
}

}  // namespace orch::repo
