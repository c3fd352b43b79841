#include "client/run_diff.h"

#include <catch2/catch.hpp>

using namespace orch::client;

TEST_CASE("a run is compared with what came next in its folder, else with what is there") {
  DiffFacts facts{.has_snapshot = true, .is_over = true, .folder_stands = true};
  CHECK(sides_of(facts) == DiffSides::kSnapshotToNow);
  facts.later_snapshot = "/state/runs/later/snapshot";
  CHECK(sides_of(facts) == DiffSides::kSnapshotToSnapshot);
  facts.folder_stands = false;
  CHECK(sides_of(facts) == DiffSides::kSnapshotToSnapshot);
}

TEST_CASE("a run whose end was kept is compared with it, unless its worktree is gone") {
  DiffFacts facts{.has_snapshot = true, .is_over = true, .folder_stands = true, .has_end = true};
  CHECK(sides_of(facts) == DiffSides::kSnapshotToEnd);
  facts.later_snapshot = "/state/runs/later/snapshot";
  CHECK(sides_of(facts) == DiffSides::kSnapshotToEnd);
  facts = {.has_snapshot = true,
           .is_over = true,
           .has_end = true,
           .has_worktree = true,
           .knows_commits = true};
  CHECK(sides_of(facts) == DiffSides::kCommits);
  facts.knows_commits = false;
  CHECK(sides_of(facts) == DiffSides::kSnapshotToEnd);
  facts.is_over = false;
  CHECK(sides_of(facts) == DiffSides::kUnknown);
}

TEST_CASE("a run that is not over is compared with what is there") {
  CHECK(sides_of({.has_snapshot = true,
                  .is_over = false,
                  .folder_stands = true,
                  .later_snapshot = "/x"}) == DiffSides::kSnapshotToNow);
}

TEST_CASE("of a worktree that is gone the commits are compared, and nothing else is") {
  DiffFacts facts{.has_snapshot = true, .has_worktree = true, .knows_commits = true};
  CHECK(sides_of(facts) == DiffSides::kCommits);
  facts.has_worktree = false;
  CHECK(sides_of(facts) == DiffSides::kUnknown);
  facts = {.has_worktree = true, .knows_commits = false};
  CHECK(sides_of(facts) == DiffSides::kUnknown);
  facts = {.has_worktree = true, .knows_commits = true, .has_uncommitted = true};
  CHECK(sides_of(facts) == DiffSides::kUnknown);
}
