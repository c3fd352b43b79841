#include "engine/job_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/fd.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/json_writer.h"
#include "base/own_program.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/words.h"
#include "options/run_option.h"
#include "store/file_io.h"
#include "store/issue_name.h"
#include "store/path_text.h"

namespace orch::engine {
namespace {

// To be raised when a new orch writes files that this one would misread.
constexpr int kFormat = 1;

constexpr base::Words<EngineKind, 3> kEngines{{{EngineKind::kSlurm, "slurm"},
                                               {EngineKind::kKubernetes, "kubernetes"},
                                               {EngineKind::kGithubMatrix, "github-matrix"}}};

// The file may contain only requests that the user could have made by an option.
base::Status check(const JobRequest& job, int format) {
  if (format != kFormat) {
    return base::usage_error("orch_job " + std::to_string(format) +
                             ": another version of orch wrote it; the jobs need the orch that "
                             "submitted them");
  }
  if (base::Status s = store::check_issue_name(job.issue); !s) return s;
  if (job.retries < 0 || job.retries > kMostRetries) {
    return base::usage_error("retries: write 0 to " + std::to_string(kMostRetries));
  }
  if (!job.request.resume.empty() || job.request.masked) {
    return base::usage_error("it is a record of a run, not a request of orch submit");
  }
  return options::check_values(job.request);
}

// Whether nobody could write the file, whatever its owner, for example in a mounted Secret.
bool is_read_only(const base::Fd& file) {
  struct statvfs info {};
  return ::fstatvfs(file.get(), &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

// Why somebody else may have written the file; "" if nobody can have.
std::string why_not_own(const base::Fd& file, const struct stat& info, const std::string& path) {
  if (info.st_uid != ::geteuid() && info.st_uid != 0) {
    return "it belongs to user " + std::to_string(info.st_uid) +
           ", who could have it run anything; submit it as yourself";
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "others can write it; chmod go-w it if its content is yours";
  }
  const std::string agents = is_read_only(file) ? "" : base::folder_of_agents_with(path);
  if (agents.empty()) return "";
  return "it lies in " + base::printable(agents) +
         ", where agents may write, and could have it run anything; keep it elsewhere, or say what "
         "it has to be: --request-sha256";
}

}  // namespace

std::string_view name(EngineKind kind) { return base::word_of(kEngines, kind); }

std::optional<EngineKind> engine_named(std::string_view name) {
  return base::value_of(kEngines, name);
}

std::string to_json(const JobRequest& job) {
  base::Json json;
  json["orch_job"] = kFormat;
  json["submission"] = job.submission;
  json["engine"] = name(job.engine);
  json["index"] = job.index;
  json["issue"] = job.issue;
  json["retries"] = job.retries;
  json["state_dir"] = store::path_to_text(job.state_dir);
  options::RunRequest request = job.request;
  request.folder = store::path_to_text(request.folder);
  json["request"] = base::object_of(request, options::kRunRequestFields);
  return base::json_text(json);
}

base::Result<JobRequest> job_request_from_json(std::string_view text) {
  // A strict reader: an unknown member is an error.
  base::JsonDocument document("", text, base::JsonAuthor::kPerson);
  JobRequest job;
  int format = 0;
  std::string engine, state_dir;
  {
    base::JsonMembers in(document);
    in.required("orch_job", format);
    in.required("submission", job.submission);
    in.required("engine", engine);
    in.required("index", job.index);
    in.required("issue", job.issue);
    in.required("retries", job.retries);
    in.required("state_dir", state_dir);
    if (!in.has("request")) in.fail("request", "is missing");
    in.object("request", job.request, options::kRunRequestFields);
  }
  base::Result<JobRequest> read = document.finish(std::move(job));
  if (!read) return read;
  const std::optional<EngineKind> kind = engine_named(engine);
  if (!kind) return base::usage_error("engine: no engine has this name");
  read->engine = *kind;
  read->state_dir = store::path_from_text(state_dir);
  read->request.folder = store::path_from_text(read->request.folder);
  if (base::Status s = check(*read, format); !s) return s.error();
  return read;
}

base::Result<JobRequest> read_job_request(const std::string& path,
                                          const std::optional<std::string>& sha256) {
  const auto refused = [&path](const std::string& why) {
    return base::usage_error("--request " + base::printable(path) + ": " + why);
  };
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() && errno == ELOOP) {
    return refused("it is a link, which is not followed; name the file itself");
  }
  if (!file.valid()) return refused(std::generic_category().message(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return refused(std::generic_category().message(errno));
  if (!S_ISREG(info.st_mode)) return refused("it is not a regular file");
  const std::string why = sha256 ? "" : why_not_own(file, info, path);
  if (!why.empty()) return refused(why);
  const base::Result<std::string> text = store::read_open_file(file, path, kMaxRequestBytes);
  if (!text) return base::usage_error("cannot " + base::printable(text.error().text));
  if (sha256 && base::sha256_hex(*text) != *sha256) {
    return refused("it is not what orch submit wrote: its SHA-256 is " + base::sha256_hex(*text) +
                   ", and that of --request-sha256 is " + base::printable(*sha256) +
                   "; submit the issue again");
  }
  base::Result<JobRequest> job = job_request_from_json(*text);
  if (!job) return refused(base::printable(job.error().text));
  return job;
}

}  // namespace orch::engine
