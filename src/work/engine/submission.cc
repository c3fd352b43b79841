#include "engine/submission.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>

#include "base/json.h"
#include "base/json_members.h"
#include "base/json_writer.h"
#include "base/name.h"
#include "base/text.h"
#include "fence/work_places.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/run_dir.h"

namespace orch::engine {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRecordBytes = 16 << 20;
constexpr size_t kMaxPlaceBytes = 16 << 10;

// A file that says where the folder of --folder is.
std::string place_file(const std::string& entry) { return entry + "/place"; }

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 || errno != ENOENT;
}

constexpr auto kFields = [](auto& in, auto& submission) {
  in.required("id", submission.id);
  in.required("submitted", submission.submitted);
  in.required("issues", submission.issues);
  in.required("jobs", submission.jobs);
  in.required("retries", submission.retries);
  in.required("engine_options", submission.engine_options);
  in.required("claim", submission.claim);
  in.required("image", submission.image);
};

base::Status check(const Submission& submission) {
  const auto wrong = [](const std::string& what) {
    return base::usage_error("submission.json: " + what);
  };
  if (!base::is_name(submission.id)) return wrong("id is none");
  if (submission.issues.empty()) return wrong("there are no issues");
  for (const std::string& issue : submission.issues) {
    if (base::Status s = store::check_issue_name(issue); !s) return s;
  }
  const std::vector<size_t>& parts = submission.parts;
  const bool ordered = std::is_sorted(parts.begin(), parts.end());
  if (parts.empty() || parts.front() != 0 || !ordered || parts.back() >= submission.issues.size()) {
    return wrong("parts are none of these issues");
  }
  return base::Ok{};
}

// The folder that the jobs of a submission see.
base::Result<std::string> place_of(const std::string& entry) {
  if (!is_there(place_file(entry))) return entry;
  return store::read_regular_file(place_file(entry), kMaxPlaceBytes, store::Links::kRefused);
}

// An error if anybody other than the jobs could have written a verdict there.
base::Status check_place(const std::string& state_dir, const std::string& place) {
  const base::Result<store::Privacy> privacy = store::privacy_of(place);
  if (!privacy) return privacy.error();
  if (*privacy == store::Privacy::kWritable) {
    return base::usage_error(base::printable(place) +
                             ": others can write it, and could forge a verdict; chmod go-w it");
  }
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(place, failure);
  const store::Found<std::string> agents =
      fence::WorkPlaces(state_dir).holding(failure ? place : real.string());
  if (agents.is_unknown()) return agents.error();
  if (agents.is_absent()) return base::Ok{};
  return base::usage_error(base::printable(place) + " lies in " + base::printable(*agents) +
                           ", where agents have worked, which could forge any verdict there: orch "
                           "reads none; submit again with --folder elsewhere");
}

// An older orch kept the record where the jobs are, and GitHub's in the repository.
base::Error kept_elsewhere(const std::string& entry, const std::string& place) {
  const std::string record = base::printable(place) + "/submission.json";
  return base::usage_error(
      "an older orch left its record in " + base::printable(place) +
      ", where others may have changed it, and orch obeys none there: look at " + record +
      ", its engine_options above all, then: cp " + record + " " + base::printable(entry) + "/");
}

bool is_of_github(const SubmissionFolder& folder) {
  const base::Result<std::string> text =
      store::read_regular_file(folder.record(), kMaxRecordBytes, store::Links::kRefused);
  const base::Result<Submission> submission =
      text ? submission_from_json(*text) : base::Result<Submission>(text.error());
  return submission && submission->engine == EngineKind::kGithubMatrix;
}

// The submission whose folder in the state directory is `entry`.
base::Result<FoundSubmission> read_submission(const std::string& state_dir, const std::string& id) {
  const std::string entry = submissions_folder(state_dir) + "/" + id;
  base::Result<std::string> place = place_of(entry);
  if (!place) return place.error();
  SubmissionFolder folder{.entry = entry, .path = std::move(place).value()};
  if (folder.path != entry && !is_there(folder.record())) {
    return kept_elsewhere(entry, folder.path);
  }
  if (const base::Status s = check_place(state_dir, entry); !s) return s.error();
  const base::Result<std::string> text =
      store::read_regular_file(folder.record(), kMaxRecordBytes, store::Links::kRefused);
  if (!text) return text.error();
  base::Result<Submission> submission = submission_from_json(*text);
  if (!submission) {
    return base::usage_error(base::printable(folder.record()) + ": " + submission.error().text);
  }
  if (submission->id != id) {
    return base::usage_error(base::printable(folder.record()) + ": it is of submission " +
                             base::printable(submission->id));
  }
  // The folder in the repository is GitHub's, and is not looked at.
  if (submission->engine == EngineKind::kGithubMatrix) folder.path = entry;
  if (const base::Status s = check_place(state_dir, folder.path); !s) return s.error();
  return FoundSubmission{std::move(submission).value(), std::move(folder)};
}

// The ids in a state directory, the newest first.
std::vector<std::string> ids_in(const std::string& state_dir) {
  std::vector<std::string> ids;
  std::error_code failure;
  for (fs::directory_iterator at(submissions_folder(state_dir), failure), end;
       !failure && at != end; at.increment(failure)) {
    std::string id = at->path().filename().string();
    if (base::is_name(id)) ids.push_back(std::move(id));
  }
  std::sort(ids.rbegin(), ids.rend());
  return ids;
}

base::Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return base::Ok{};
  return base::system_error("make " + base::printable(path), errno);
}

// The folder of --folder. Its path was without links when it was planned, and has to be still.
base::Status make_named(const std::string& named) {
  std::vector<std::string> created;
  const std::string parent = fs::path(named).parent_path().string();
  if (base::Status s = store::create_folders(parent, created); !s) return s;
  std::error_code failure;
  base::Status made = fs::canonical(parent, failure).string() == parent && !failure
                          ? make_folder(named)
                          : base::usage_error(base::printable(parent) + " is a link by now");
  if (made) return made;
  store::remove_folders(created);
  return base::usage_error("--folder " + made.error().text + "; name one that is not there yet");
}

}  // namespace

std::string to_json(const Submission& submission) {
  base::Json json;
  json["orch_submission"] = 1;
  json["engine"] = name(submission.engine);
  base::JsonWriter out(json);
  kFields(out, submission);
  json["parts"] = submission.parts;
  return base::json_text(json);
}

base::Result<Submission> submission_from_json(std::string_view text) {
  base::JsonDocument document("submission.json", text);
  Submission submission;
  std::string engine;
  {
    base::JsonMembers in(document);
    in.required("engine", engine);
    kFields(in, submission);
    if (const base::Json* parts = in.find("parts"); parts != nullptr && parts->is_array()) {
      for (const base::Json& part : *parts) {
        if (!part.is_number_unsigned()) in.fail("parts", "must be an array of whole numbers");
        if (in.ok()) submission.parts.push_back(part.get<size_t>());
      }
    }
  }
  base::Result<Submission> read = document.finish(std::move(submission));
  if (!read) return read;
  const std::optional<EngineKind> kind = engine_named(engine);
  if (!kind) return base::usage_error("submission.json: engine: this orch knows none of this name");
  read->engine = *kind;
  if (base::Status s = check(*read); !s) return s.error();
  return read;
}

std::string part_name(const Submission& submission, size_t part) {
  std::string text = "orch-" + submission.id + "-" + std::to_string(part);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

size_t part_size(const Submission& submission, size_t part) {
  const size_t end =
      part + 1 < submission.parts.size() ? submission.parts[part + 1] : submission.issues.size();
  return end - submission.parts[part];
}

int64_t job_minutes(int64_t timeout_ms) {
  constexpr int64_t kMinute = 60'000, kMargin = 10 * kMinute;
  return (timeout_ms + kMargin + kMinute - 1) / kMinute;
}

std::string SubmissionFolder::script(size_t part) const {
  return entry + "/job-" + std::to_string(part) + ".sh";
}

std::string SubmissionFolder::request(size_t index) const {
  return path + "/requests/" + std::to_string(index) + ".json";
}

std::string SubmissionFolder::artifacts(size_t index) const {
  return path + "/artifacts/" + std::to_string(index);
}

std::string SubmissionFolder::cancelled(size_t index) const {
  return entry + "/cancelled/" + std::to_string(index);
}

std::string artifacts_of(const Submission& submission, const SubmissionFolder& folder,
                         size_t index) {
  if (submission.engine == EngineKind::kGithubMatrix) return "";
  if (submission.engine == EngineKind::kSlurm) return folder.artifacts(index);
  size_t part = 0;
  while (part + 1 < submission.parts.size() && submission.parts[part + 1] <= index) ++part;
  return folder.share() + "/" + std::to_string(part) + "/" +
         std::to_string(index - submission.parts[part]);
}

std::string submissions_folder(const std::string& state_dir) { return state_dir + "/submissions"; }

base::Result<SubmissionFolder> make_submission(const std::string& state_dir,
                                               const std::string& named,
                                               const Submission& submission) {
  if (base::Status s = store::create_folders(submissions_folder(state_dir)); !s) {
    return s.error();
  }
  const std::string entry = submissions_folder(state_dir) + "/" + submission.id;
  if (base::Status s = make_folder(entry); !s) return s.error();
  SubmissionFolder folder{.entry = entry, .path = entry};
  if (!named.empty()) {
    folder.path = named;
    if (base::Status s = make_named(named); !s) {
      ::rmdir(entry.c_str());
      return s.error();
    }
    if (base::Status s = store::write_file(place_file(entry), named); !s) return s.error();
  }
  for (const std::string& inner : {entry + "/cancelled", folder.path + "/requests",
                                   folder.path + "/artifacts", folder.path + "/logs"}) {
    if (base::Status s = make_folder(inner); !s) return s.error();
  }
  if (base::Status s = store::write_file(folder.record(), to_json(submission)); !s) {
    return s.error();
  }
  return folder;
}

std::vector<std::string> submission_places(const std::string& state_dir) {
  std::vector<std::string> places;
  for (const std::string& id : ids_in(state_dir)) {
    const SubmissionFolder folder{.entry = submissions_folder(state_dir) + "/" + id, .path = ""};
    base::Result<std::string> place = place_of(folder.entry);
    if (!place || *place == folder.entry || !is_there(*place)) continue;
    // If its record is not in the state directory, an older orch made it, and its verdicts do not
    // count.
    if (!is_there(folder.record()) || is_of_github(folder)) continue;
    places.push_back(std::move(place).value());
  }
  return places;
}

std::string new_submission_id(EngineKind engine, store::TimePoint now) {
  const std::string_view word = engine == EngineKind::kGithubMatrix ? "github" : name(engine);
  return store::make_run_id(now, word, store::random_suffix());
}

base::Result<FoundSubmission> find_submission(const std::string& state_dir,
                                              const std::string& word) {
  const std::vector<std::string> ids = ids_in(state_dir);
  std::vector<std::string> fitting;
  for (const std::string& id : ids) {
    if (id == word) return read_submission(state_dir, id);
    if (!word.empty() && id.starts_with(word)) fitting.push_back(id);
  }
  if (word == "last" && !ids.empty()) fitting = {ids.front()};
  if (fitting.empty()) {
    return base::Error{base::ErrorCode::kNotFound, "there is no submission " +
                                                       base::printable(word) +
                                                       " in this state directory; see orch jobs"};
  }
  if (fitting.size() > 1) {
    return base::usage_error(base::printable(word) + " is the beginning of " +
                             std::to_string(fitting.size()) + " submissions: write more of it");
  }
  return read_submission(state_dir, fitting.front());
}

std::vector<FoundSubmission> list_submissions(const std::string& state_dir,
                                              std::vector<std::string>& unreadable) {
  std::vector<FoundSubmission> all;
  for (const std::string& id : ids_in(state_dir)) {
    base::Result<FoundSubmission> found = read_submission(state_dir, id);
    if (found) {
      all.push_back(std::move(found).value());
    } else {
      unreadable.push_back("submission " + id + " cannot be read: " + found.error().text);
    }
  }
  return all;
}

}  // namespace orch::engine
