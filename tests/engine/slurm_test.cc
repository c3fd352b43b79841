#include "engine/slurm.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace orch::engine;

namespace {

Submission submission_of(size_t issues) {
  Submission submission;
  submission.id = "20261127T163000123-slurm-0a1b";
  submission.submitted = "2026-11-27T16:30:00.123Z";
  for (size_t i = 0; i < issues; ++i) submission.issues.push_back("i" + std::to_string(i));
  for (size_t first = 0; first < issues; first += kMostInArray) submission.parts.push_back(first);
  submission.jobs = 8;
  return submission;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const std::string kName = "orch-20261127t163000123-slurm-0a1b-0";

}  // namespace

TEST_CASE(
    "slurm: a job's script has no word from outside, and takes the request of its hash alone") {
  const std::string script = slurm_script({"aa", "bb"});
  CHECK(script.find("exec \"$1\" run --request \"$2/requests/$index.json\" --request-sha256 "
                    "\"$hash\"") != std::string::npos);
  CHECK(script.find("  1) hash=bb ;;\n") != std::string::npos);
  const Submission submission = submission_of(3);
  const SlurmPlan plan{.submission = &submission,
                       .folder = {.entry = "/st/i", .path = "/sh/a 'b' \"$c\" 100%\nd"},
                       .orch = "/opt/o r/orch",
                       .timeout_ms = 0,
                       .after = ""};
  const std::vector<std::string> words = sbatch_words(plan, 0);
  REQUIRE(words.size() > 4);
  CHECK(words.end()[-1] == "0");
  CHECK(words.end()[-2] == plan.folder.path);
  CHECK(words.end()[-3] == plan.orch);
  CHECK(words.end()[-4] == "/st/i/job-0.sh");
  CHECK(has(words, "--output=/sh/a 'b' \"$c\" 100%%\nd/logs/0-%a.log"));
  for (const std::string& word : words) CHECK(word.find("--time") == std::string::npos);
}

TEST_CASE("slurm: arrays, limits and times") {
  const Submission submission = submission_of(2500);
  REQUIRE(submission.parts == std::vector<size_t>{0, 1000, 2000});
  SlurmPlan plan{.submission = &submission,
                 .folder = {.entry = "/st", .path = "/sh"},
                 .orch = "/o",
                 .timeout_ms = 90'000,
                 .after = "123"};
  CHECK(has(sbatch_words(plan, 0), "--array=0-999%8"));
  CHECK(has(sbatch_words(plan, 2), "--array=0-499%8"));
  CHECK(sbatch_words(plan, 2).back() == "2000");
  CHECK(has(sbatch_words(plan, 2), "--dependency=afterany:123"));
  CHECK(has(sbatch_words(plan, 0), "--time=12"));
  CHECK(has(sbatch_words(plan, 0), "--signal=B:TERM@120"));
  CHECK(has(sbatch_words(plan, 0), "--requeue"));
  CHECK(*array_number("77\n") == "77");
  CHECK(*array_number("77;cluster\n") == "77");
  CHECK_FALSE(array_number("Submitted batch job 77"));
  CHECK_FALSE(array_number(""));
  CHECK(requeue_words("12", "3") == std::vector<std::string>{"scontrol", "requeue", "12_3"});
  CHECK(delay_words("15", 60).back() == "StartTime=now+60");
}

TEST_CASE("slurm: squeue's lines are taken whole or not at all") {
  const Submission submission = submission_of(3);
  const auto jobs = read_squeue(submission, kName + "|12|0|RUNNING|None\n" +           //
                                                kName + "|12|1|PENDING|Resources\n" +  //
                                                kName + "|12|2|CANCELLED|None\n" +     //
                                                kName + "|12|3|RUNNING|None\n" +       // no issue
                                                kName + "|12|N/A|RUNNING|None\n" +     //
                                                kName + "|x|0|RUNNING|None\n" +        //
                                                kName + "|12|0|RUN NING|None\n" +      //
                                                kName + "|12|0|RUNNING\n" +            //
                                                kName + "|12|0|RUNNING|None|more\n" +  //
                                                "forged\n" + kName + "\n|12|0|FAILED|None\n" +
                                                "other|12|0|FAILED|None\n");
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0] ==
        EngineJob{
            .index = 0, .id = "12_0", .state = EngineState::kRuns, .word = "RUNNING", .why = ""});
  CHECK(jobs[1].state == EngineState::kWaits);
  CHECK(jobs[1].why == "Resources");
  CHECK(jobs[2].state == EngineState::kCancelled);
  CHECK(read_squeue(submission, "").empty());
  CHECK(read_squeue(submission, kName + "|1|0|NEWSTATE|None")[0].state == EngineState::kOther);
}

TEST_CASE("slurm: the accounting remembers what squeue has forgotten") {
  const Submission submission = submission_of(3);
  const auto jobs =
      read_sacct(submission, kName + "|12_0|COMPLETED\n" + kName + "|12_1|CANCELLED by 1000\n" +
                                 kName + "|12_[2-9]|PENDING\n" + kName + "|12_2|NODE_FAIL\n");
  CHECK(has(sacct_words(submission), "--starttime=2026-11-26"));
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].state == EngineState::kEnded);
  CHECK(jobs[1].state == EngineState::kCancelled);
  CHECK(jobs[2].state == EngineState::kNodeLost);
}
