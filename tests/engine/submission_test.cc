#include "engine/submission.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "fence/work_places.h"
#include "store/atomic_file.h"
#include "store/temporary_folder.h"

using namespace orch;
using namespace orch::engine;

namespace {

Submission sample(const std::string& id) {
  Submission submission;
  submission.id = id;
  submission.submitted = "2026-11-27T16:30:00.123Z";
  submission.issues = {"1", "2", "3"};
  submission.parts = {0, 2};
  submission.engine_options = {"--partition=a b"};
  return submission;
}

}  // namespace

TEST_CASE("submission: its record comes back, and one that is not whole is refused") {
  const Submission submission = sample("20261127T163000123-slurm-0a1b");
  CHECK(*submission_from_json(to_json(submission)) == submission);
  CHECK(part_size(submission, 0) == 2);
  CHECK(part_size(submission, 1) == 1);
  CHECK(part_name(submission, 1) == "orch-20261127t163000123-slurm-0a1b-1");
  for (const std::vector<size_t>& parts : {std::vector<size_t>{}, {1}, {0, 3}, {0, 2, 1}}) {
    Submission odd = submission;
    odd.parts = parts;
    CHECK_FALSE(submission_from_json(to_json(odd)));
  }
  Submission odd = submission;
  odd.issues = {"../1"};
  CHECK_FALSE(submission_from_json(to_json(odd)));
  CHECK_FALSE(submission_from_json("{}"));
}

TEST_CASE("submission: found by its id, its beginning or as the last") {
  const base::Result<store::TemporaryFolder> folder =
      store::TemporaryFolder::make("orch-submission-test-");
  REQUIRE(folder);
  const std::string& state = folder->path();
  REQUIRE(make_submission(state, "", sample("20261127T163000123-slurm-0a1b")));
  REQUIRE(
      make_submission(state, state + "/deep/elsewhere", sample("20261127T163000124-slurm-0a1c")));
  CHECK(find_submission(state, "20261127T163000123")->submission.issues.size() == 3);
  CHECK(find_submission(state, "last")->folder.path == state + "/deep/elsewhere");
  CHECK(find_submission(state, "2026").error().code == base::ErrorCode::kUsage);
  CHECK(find_submission(state, "2027").error().code == base::ErrorCode::kNotFound);
  CHECK(find_submission(state, "").error().code == base::ErrorCode::kNotFound);
  CHECK(find_submission(state, "../x").error().code == base::ErrorCode::kNotFound);
  CHECK_FALSE(make_submission(state, "", sample("20261127T163000123-slurm-0a1b")));
  CHECK_FALSE(make_submission(state, state + "/deep/elsewhere", sample("20261127T163000125-x-1")));

  std::vector<std::string> unreadable;
  CHECK(list_submissions(state, unreadable).size() == 2);
  CHECK(unreadable.empty());
  // A record of another submission, or a folder that others can write, is not believed.
  const std::string second = state + "/submissions/20261127T163000124-slurm-0a1c";
  REQUIRE(store::write_file(second + "/submission.json",
                            to_json(sample("20261127T163000123-slurm-0a1b"))));
  CHECK_FALSE(find_submission(state, "last"));
  REQUIRE(::chmod((state + "/submissions/20261127T163000123-slurm-0a1b").c_str(), 0777) == 0);
  CHECK(list_submissions(state, unreadable).empty());
  CHECK(unreadable.size() == 2);
}

TEST_CASE("submission: nothing is read from the folder of --folder but what the jobs tell") {
  const base::Result<store::TemporaryFolder> made =
      store::TemporaryFolder::make("orch-submission-test-");
  REQUIRE(made);
  const std::string& state = made->path();
  const std::string shared = state + "/shared/jobs";
  const Submission submission = sample("20261127T163000123-slurm-0a1b");
  REQUIRE(make_submission(state, shared, submission));
  CHECK(submission_places(state) == std::vector<std::string>{shared});
  Submission odd = submission;
  odd.engine = EngineKind::kKubernetes;
  odd.engine_options = {"--kubeconfig=/evil"};
  REQUIRE(store::write_file(shared + "/submission.json", to_json(odd)));
  REQUIRE(find_submission(state, "last"));
  CHECK(find_submission(state, "last")->submission == submission);
  // Once agents have worked there, verdicts could be theirs.
  REQUIRE(fence::WorkPlaces(state).remember(state + "/shared"));
  CHECK(find_submission(state, "last").error().text.find("where agents have worked") !=
        std::string::npos);
}

TEST_CASE(
    "submission: a record that an older orch left elsewhere is not obeyed, and the remedy said") {
  const base::Result<store::TemporaryFolder> made =
      store::TemporaryFolder::make("orch-submission-test-");
  REQUIRE(made);
  const std::string& state = made->path();
  const std::string old = state + "/repository/.orch/submissions/x";
  const Submission submission = sample("20261127T163000123-github-0a1b");
  REQUIRE(make_submission(state, old, submission));
  const std::string entry = state + "/submissions/" + submission.id;
  REQUIRE(::rename((entry + "/submission.json").c_str(), (old + "/submission.json").c_str()) == 0);
  const auto found = find_submission(state, "last");
  REQUIRE_FALSE(found);
  CHECK(found.error().code == base::ErrorCode::kUsage);
  CHECK(submission_places(state).empty());
  CHECK(found.error().text.find("cp " + old + "/submission.json " + entry + "/") !=
        std::string::npos);
  REQUIRE(store::write_file(entry + "/submission.json", to_json(submission)));
  CHECK(find_submission(state, "last"));
}

TEST_CASE("submission: the folder of --folder is reached by no link") {
  const base::Result<store::TemporaryFolder> made =
      store::TemporaryFolder::make("orch-submission-test-");
  REQUIRE(made);
  const std::string& state = made->path();
  REQUIRE(::mkdir((state + "/real").c_str(), 0700) == 0);
  REQUIRE(::symlink((state + "/real").c_str(), (state + "/link").c_str()) == 0);
  CHECK_FALSE(
      make_submission(state, state + "/link/jobs", sample("20261127T163000123-slurm-0a1b")));
  CHECK_FALSE(make_submission(state, state + "/link", sample("20261127T163000124-slurm-0a1b")));
  CHECK(list_submissions(state, *std::make_unique<std::vector<std::string>>()).empty());
}

TEST_CASE("submission: ids only grow with the clock") {
  const auto now = std::chrono::system_clock::now();
  CHECK(new_submission_id(EngineKind::kSlurm, now) <
        new_submission_id(EngineKind::kGithubMatrix, now + std::chrono::milliseconds(1)));
}
