#include "setup/batch_folders.h"

#include <catch2/catch.hpp>

using namespace orch::setup;
using orch::adapters::Manifest;
using orch::options::RunRequest;

namespace {

RunRequest batch() {
  RunRequest request;
  request.issues = {"1", "2"};
  return request;
}

Folders chosen(const RunRequest& request, const Manifest& agent = {},
               RepositoryState state = RepositoryState::kReady) {
  return folders_of(request, agent, state);
}

}  // namespace

TEST_CASE("several issues of an agent get worktrees, and one issue does not") {
  CHECK(chosen(batch()) == Folders::kWorktrees);
  CHECK(chosen_by_orch(batch(), Folders::kWorktrees));
  RunRequest one = batch();
  one.issues = {"1"};
  CHECK(chosen(one) == Folders::kShared);
}

TEST_CASE("a worktree that was asked for is made for whatever runs") {
  RunRequest request = batch();
  request.worktree = true;
  request.command = {"make"};
  request.issues = {"1"};
  CHECK(chosen(request, {}, RepositoryState::kNone) == Folders::kWorktrees);
  CHECK_FALSE(chosen_by_orch(request, Folders::kWorktrees));
}

TEST_CASE("agents share a folder where somebody says so or nothing would be lost") {
  RunRequest request = batch();
  SECTION("it is said") { request.shared_folder = true; }
  SECTION("a program after --") { request.command = {"make"}; }
  SECTION("a container that is there already") { request.container = "mine"; }
  CHECK(chosen(request) == Folders::kShared);
  CHECK_FALSE(would_share(request, {}));
}

TEST_CASE("agents share a folder where nothing else is possible") {
  Manifest demo;
  demo.writes_files = false;
  CHECK(chosen(batch(), demo) == Folders::kShared);
  CHECK(chosen(batch(), {}, RepositoryState::kNone) == Folders::kShared);
  CHECK(chosen(batch(), {}, RepositoryState::kNoCommit) == Folders::kShared);
  CHECK(would_share(batch(), {}));
}

TEST_CASE("a request for both kinds of folders is refused") {
  RunRequest request = batch();
  CHECK(check_folders(request).ok());
  request.worktree = request.shared_folder = true;
  CHECK(check_folders(request).error().code == orch::base::ErrorCode::kUsage);
}

TEST_CASE("the line about worktrees says where they are, what they lack, and how to do without") {
  const std::string clean = worktrees_line("/x/repo", 3, false);
  CHECK(clean ==
        "each of the 3 issues works in a git worktree of its own, /x/repo.orch/<issue>, "
        "which begins from the last commit; --shared-folder has all of them work in one "
        "folder");
  CHECK(worktrees_line("/x/repo", 3, true).find("without what is not committed in /x/repo") !=
        std::string::npos);
  CHECK(worktrees_line("/x/\x1b[2J", 3, true).find('\x1b') == std::string::npos);
  CHECK(refused_line("--worktree: /x is there; move it away") ==
        "/x is there; move it away; or --shared-folder: all issues work in one folder");
  CHECK(no_commit_line("/x/repo", 2).find("no commit") != std::string::npos);
}
