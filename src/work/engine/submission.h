#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/job_request.h"
#include "store/time_text.h"

namespace orch::engine {

// The jobs that were given to an engine at once, one for each issue. Written once, before the
// engine is asked, so that a submission whose orch died is found all the same.
struct Submission {
  std::string id;  // "20261127T163000123-slurm-0a1b"
  EngineKind engine = EngineKind::kSlurm;
  std::string submitted;  // RFC 3339
  std::vector<std::string> issues;
  int jobs = 0;     // how many may run at once; 0: as many as the engine has room for
  int retries = 0;  // after 75
  std::vector<std::string> engine_options;  // further words for each command of the engine
  // The index of the first issue of each part: one array of Slurm, or one Job of Kubernetes.
  std::vector<size_t> parts;
  std::string claim;  // Kubernetes: the volume that holds the artifacts; "": none
  std::string image;  // Kubernetes: that of the pods
  bool operator==(const Submission&) const = default;
};

std::string to_json(const Submission& submission);
base::Result<Submission> submission_from_json(std::string_view text);

// The engine's name for a part of the submission. A name of DNS, for Kubernetes:
// "orch-20261127t163000123-slurm-0a1b-0".
std::string part_name(const Submission& submission, size_t part);
// How many issues a part has.
size_t part_size(const Submission& submission, size_t part);

// How many minutes an engine lets the job of a run with this --timeout work: longer than the run,
// so that the run ends itself first, with gates that still run, its agent's end and its artifacts.
int64_t job_minutes(int64_t timeout_ms);

// The files of a submission, in two folders, both private. orch on this machine obeys only files in
// the first.
struct SubmissionFolder {
  std::string entry;  // <state>/submissions/<id>
  std::string path;   // the jobs' folder, perhaps on a shared disk: `entry`, or that of --folder
  std::string record() const { return entry + "/submission.json"; }
  std::string script(size_t part) const;  // of Slurm's jobs; sbatch keeps a copy of its own
  std::string manifest() const { return entry + "/manifest.json"; }
  std::string workflow() const { return entry + "/workflow.yml"; }
  // A file that is there once somebody asked for the job's end: engines forget that.
  std::string cancelled(size_t index) const;
  std::string request(size_t index) const;
  std::string logs() const { return path + "/logs"; }
  std::string artifacts(size_t index) const;             // of all attempts of an issue, on Slurm
  std::string share() const { return path + "/share"; }  // files from a volume of Kubernetes
};

// <state>/submissions, which holds a folder for each submission.
std::string submissions_folder(const std::string& state_dir);
// The folder of all attempts of an issue, where this machine has it; "" on GitHub, which keeps
// them.
std::string artifacts_of(const Submission& submission, const SubmissionFolder& folder,
                         size_t index);

// Makes <state>/submissions/<id>, and `named` for the jobs if that is not "": absolute, without
// links. An error if `named` is there already.
base::Result<SubmissionFolder> make_submission(const std::string& state_dir,
                                               const std::string& named,
                                               const Submission& submission);
// The id of a submission that begins now. It is greater than that of any before, by the clock.
std::string new_submission_id(EngineKind engine, store::TimePoint now);

// A submission of a state directory, by its id, the beginning of it, or "last": the newest.
// kNotFound if there is none, kUsage if there are several. Also an error: others or agents can
// write in the folder of its verdicts, or an older orch kept its record elsewhere.
struct FoundSubmission {
  Submission submission;
  SubmissionFolder folder;
};
base::Result<FoundSubmission> find_submission(const std::string& state_dir,
                                              const std::string& word);
// The folders of --folder that exist; jobs publish verdicts there.
std::vector<std::string> submission_places(const std::string& state_dir);
// All of them, the newest first. Each submission that cannot be read is a line in `unreadable`.
std::vector<FoundSubmission> list_submissions(const std::string& state_dir,
                                              std::vector<std::string>& unreadable);

}  // namespace orch::engine
