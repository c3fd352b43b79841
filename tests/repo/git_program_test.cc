#include "repo/git_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "pty/process_table.h"
#include "scene.h"
#include "store/temporary_folder.h"

namespace orch::repo {
namespace {

// A folder at the front of PATH whose git is this shell script; its first two words are "-C
// FOLDER".
class OtherGit {
 public:
  explicit OtherGit(const std::string& script)
      : made_(store::TemporaryFolder::make("orch-git-test-")), path_(std::getenv("PATH")) {
    REQUIRE(made_);
    const std::string file = made_->path() + "/git";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    ::setenv("PATH", (made_->path() + ":" + path_).c_str(), 1);
  }
  ~OtherGit() { ::setenv("PATH", path_.c_str(), 1); }
  OtherGit(const OtherGit&) = delete;
  OtherGit& operator=(const OtherGit&) = delete;

 private:
  base::Result<store::TemporaryFolder> made_;
  std::string path_;
};

}  // namespace

TEST_CASE("git: its answer, and the code of one that fails") {
  const OtherGit git("shift 2; [ $1 = config ] && exit 1; echo said; echo why >&2; exit $2");
  const GitCall call{{"status", "0"}, "/", ""};
  CHECK(*ask_git(call) == "said\n");
  const base::Result<GitAnswer> failed = run_git({{"status", "3"}, "/", ""});
  REQUIRE(failed);
  CHECK(failed->code == 3);
  CHECK(failed->err == "why");
}

TEST_CASE("git: an answer without end is not read to its end") {
  const OtherGit git("shift 2; [ $1 = config ] && exit 1; exec cat /dev/zero");
  const base::Result<std::string> said = ask_git({{"status"}, "/", ""});
  REQUIRE_FALSE(said);
  CHECK(said.error().text == "git status answered with more than 256 MB, which is not read");
}

TEST_CASE("git: it is killed when its patience or the process's deadline is over") {
  const OtherGit git("shift 2; [ $1 = config ] && exit 1; exec sleep 99999");
  const auto impatient = run_git({{"status"}, "/", "", std::chrono::seconds(1)});
  REQUIRE_FALSE(impatient);
  CHECK(impatient.error().text == "git status gave no answer within 1 s");
  const GitDeadline deadline(std::chrono::steady_clock::now());
  CHECK_FALSE(run_git({{"status"}, "/", ""}));
}

TEST_CASE("git: rules and settings that are pipes keep nobody waiting") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("git init -q .; mkfifo pipe; touch x");
  const GitCall status{{"status", "--porcelain"}, scene.work(), "", std::chrono::seconds(60)};
  for (const char* name : {"core.excludesFile", "core.attributesFile"}) {
    scene.sh(std::string("git config ") + name + " \"$PWD/pipe\"");
    const auto answer = ask_git(status);
    INFO((answer ? *answer : answer.error().text));
    CHECK(answer);
  }
}

TEST_CASE("git: a pipe in place of a file that git reads is named") {
  if (!has_git()) return;
  const Scene scene;
  scene.sh("git init -q .; mkfifo pipe; touch x; git add x; git commit -qm x");
  const auto refused = [&](std::vector<std::string> words) {
    const base::Result<GitAnswer> answer = run_git({std::move(words), scene.work(), ""});
    REQUIRE_FALSE(answer);
    return answer.error().text;
  };
  SECTION("one that its configuration includes") {
    scene.sh("git config include.path \"$PWD/pipe\"");
    CHECK(refused({"status"}) ==
          "git config waits for " + scene.work() + "/pipe, which is a pipe; remove it");
  }
  SECTION("one that is open, but in which nobody writes") {
    scene.sh("git config include.path \"$PWD/pipe\"");
    const base::Fd writer(::open((scene.work() + "/pipe").c_str(), O_RDWR | O_CLOEXEC));
    CHECK(refused({"status"}) ==
          "git config waits for " + scene.work() + "/pipe, which is a pipe; remove it");
  }
  SECTION("one of its own files") {
    scene.sh("mkfifo .git/packed-refs");
    CHECK(refused({"rev-parse", "nothing"}) == "git rev-parse waits for " + scene.work() +
                                                   "/.git/packed-refs, which is a pipe; remove it");
  }
  SECTION("one that a git of git's waits for; none of them stays") {
    scene.sh("mkdir -p .git/info; mkfifo .git/info/attributes");
    CHECK(refused({"worktree", "add", "-q", "../new"}) ==
          "git worktree waits for " + scene.work() +
              "/.git/info/attributes, which is a pipe; "
              "remove it");
    CHECK(pty::children_of(::getpid()) == std::vector<pid_t>());
  }
}

}  // namespace orch::repo
