#include "engine/slurm.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "base/text.h"
#include "engine/number.h"
#include "store/time_text.h"

namespace orch::engine {
namespace {

// How long before the end of a job's time Slurm sends SIGTERM. orch needs 10 s at most to end an
// agent and writes the artifacts then; Slurm itself may be a minute early (sbatch(1), --signal).
constexpr int kWarnSeconds = 120;

constexpr std::string_view kScriptHead = R"(#!/bin/sh
# Written by orch submit. Nothing in here comes from outside: $1 is orch, $2 the folder of the
# submission, $3 the index of the first issue; below are the SHA-256 of the tasks' requests.
case $SLURM_ARRAY_TASK_ID in
)";
constexpr std::string_view kScriptEnd = R"(esac
index=$(($3 + SLURM_ARRAY_TASK_ID))
exec "$1" run --request "$2/requests/$index.json" --request-sha256 "$hash" \
  --artifacts "$2/artifacts/$index" --output quiet
)";

struct StateRow {
  std::string_view word;
  EngineState state;
};
// squeue(1), JOB STATE CODES. Special ends of a job have states of their own.
constexpr auto kSlurmStates = std::to_array<StateRow>({
    {"PENDING", EngineState::kWaits},       {"REQUEUED", EngineState::kWaits},
    {"REQUEUE_HOLD", EngineState::kWaits},  {"REQUEUE_FED", EngineState::kWaits},
    {"SPECIAL_EXIT", EngineState::kWaits},  {"CONFIGURING", EngineState::kWaits},
    {"RESV_DEL_HOLD", EngineState::kWaits}, {"RUNNING", EngineState::kRuns},
    {"COMPLETING", EngineState::kRuns},     {"SUSPENDED", EngineState::kRuns},
    {"STOPPED", EngineState::kRuns},        {"SIGNALING", EngineState::kRuns},
    {"STAGE_OUT", EngineState::kRuns},      {"RESIZING", EngineState::kRuns},
    {"COMPLETED", EngineState::kEnded},     {"FAILED", EngineState::kEnded},
    {"OUT_OF_MEMORY", EngineState::kEnded}, {"CANCELLED", EngineState::kCancelled},
    {"REVOKED", EngineState::kCancelled},   {"PREEMPTED", EngineState::kCancelled},
    {"TIMEOUT", EngineState::kTimeLimit},   {"DEADLINE", EngineState::kTimeLimit},
    {"NODE_FAIL", EngineState::kNodeLost},  {"BOOT_FAIL", EngineState::kNodeLost},
});

EngineState state_of(std::string_view word) {
  const auto row = std::find_if(kSlurmStates.begin(), kSlurmStates.end(),
                                [word](const StateRow& each) { return each.word == word; });
  return row == kSlurmStates.end() ? EngineState::kOther : row->state;
}

std::vector<std::string_view> split(std::string_view line, char sign) {
  std::vector<std::string_view> fields;
  for (;;) {
    const size_t at = line.find(sign);
    fields.push_back(line.substr(0, at));
    if (at == std::string_view::npos) return fields;
    line.remove_prefix(at + 1);
  }
}

std::string names_of(const Submission& submission) {
  std::string names;
  for (size_t part = 0; part < submission.parts.size(); ++part) {
    names += (part > 0 ? "," : "") + part_name(submission, part);
  }
  return names;
}

// The index of the issue for this task of the array with this name.
std::optional<size_t> index_of(const Submission& submission, std::string_view array_name,
                               std::string_view task) {
  const std::optional<size_t> number = number_of(task);
  for (size_t part = 0; number && part < submission.parts.size(); ++part) {
    if (array_name != part_name(submission, part)) continue;
    if (*number < part_size(submission, part)) return submission.parts[part] + *number;
  }
  return std::nullopt;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return base::is_capital(c) || c == '_'; });
}

// In the name of a file for a job's output every % begins a pattern of Slurm's.
std::string without_patterns(const std::string& path) {
  std::string text;
  for (const char c : path) text.append(c == '%' ? 2 : 1, c);
  return text;
}

}  // namespace

std::string slurm_script(const std::vector<std::string>& hashes) {
  std::string text(kScriptHead);
  for (size_t task = 0; task < hashes.size(); ++task) {
    text += "  " + std::to_string(task) + ") hash=" + hashes[task] + " ;;\n";
  }
  return text.append(kScriptEnd);
}

std::vector<std::string> sbatch_words(const SlurmPlan& plan, size_t part) {
  const Submission& submission = *plan.submission;
  const std::string last = std::to_string(part_size(submission, part) - 1);
  const std::string most = submission.jobs > 0 ? "%" + std::to_string(submission.jobs) : "";
  std::vector<std::string> words{"sbatch"};
  words.insert(words.end(), submission.engine_options.begin(), submission.engine_options.end());
  words.insert(words.end(), {"--parsable", "--job-name=" + part_name(submission, part),
                             "--array=0-" + last + most, "--requeue", "--open-mode=append",
                             "--signal=B:TERM@" + std::to_string(kWarnSeconds),
                             "--output=" + without_patterns(plan.folder.logs()) + "/" +
                                 std::to_string(part) + "-%a.log"});
  if (plan.timeout_ms > 0) {
    words.push_back("--time=" + std::to_string(job_minutes(plan.timeout_ms)));
  }
  if (!plan.after.empty()) words.push_back("--dependency=afterany:" + plan.after);
  words.insert(words.end(), {plan.folder.script(part), plan.orch, plan.folder.path,
                             std::to_string(submission.parts[part])});
  return words;
}

base::Result<std::string> array_number(std::string_view output) {
  std::string_view number = base::trim(output);
  number = number.substr(0, number.find(';'));
  if (number_of(number)) return std::string(number);
  return base::Error{base::ErrorCode::kSystem,
                     "sbatch printed no number of a job: " + base::printable(output)};
}

std::vector<std::string> squeue_words(const Submission& submission) {
  return {"squeue",
          "--noheader",
          "--me",
          "--array",
          "--states=all",
          "--name=" + names_of(submission),
          "--format=%j|%F|%K|%T|%r"};
}

std::vector<EngineJob> read_squeue(const Submission& submission, std::string_view output) {
  std::vector<EngineJob> jobs;
  for (const std::string_view line : base::split_lines(output)) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() != 5 || !number_of(fields[1]) || !is_word(fields[3])) continue;
    const std::optional<size_t> index = index_of(submission, fields[0], fields[2]);
    if (!index) continue;
    jobs.push_back({.index = *index,
                    .id = std::string(fields[1]) + "_" + std::string(fields[2]),
                    .state = state_of(fields[3]),
                    .word = std::string(fields[3]),
                    .why = fields[4] == "None" ? "" : base::printable(fields[4])});
  }
  return jobs;
}

std::vector<std::string> sacct_words(const Submission& submission) {
  constexpr std::string_view kDate = "2026-11-27";
  // A day covers every time zone that sacct may assume for the date.
  const auto submitted = store::parse_rfc3339_utc(submission.submitted);
  const store::TimePoint since = submitted.value_or(store::TimePoint()) - std::chrono::hours(24);
  return {"sacct",
          "--noheader",
          "--parsable2",
          "--allocations",
          "--starttime=" + store::rfc3339_utc(since).substr(0, kDate.size()),
          "--name=" + names_of(submission),
          "--format=JobName,JobID,State"};
}

std::vector<EngineJob> read_sacct(const Submission& submission, std::string_view output) {
  std::vector<EngineJob> jobs;
  for (const std::string_view line : base::split_lines(output)) {
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() != 3) continue;
    const std::vector<std::string_view> id = split(fields[1], '_');  // "123_4"
    if (id.size() != 2 || !number_of(id[0])) continue;
    const std::optional<size_t> index = index_of(submission, fields[0], id[1]);
    // "CANCELLED by 1000"
    const std::string_view word = fields[2].substr(0, fields[2].find(' '));
    if (!index || !is_word(word)) continue;
    jobs.push_back({.index = *index,
                    .id = std::string(fields[1]),
                    .state = state_of(word),
                    .word = std::string(word),
                    .why = ""});
  }
  return jobs;
}

std::vector<std::string> scancel_words(const std::vector<std::string>& ids) {
  std::vector<std::string> words{"scancel"};
  words.insert(words.end(), ids.begin(), ids.end());
  return words;
}

std::vector<std::string> requeue_words(std::string_view array, std::string_view task) {
  return {"scontrol", "requeue", std::string(array) + "_" + std::string(task)};
}

std::vector<std::string> delay_words(std::string_view job, int64_t seconds) {
  return {"scontrol", "update", "JobId=" + std::string(job),
          "StartTime=now+" + std::to_string(seconds)};
}

}  // namespace orch::engine
