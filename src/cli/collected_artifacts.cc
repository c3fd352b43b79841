#include "cli/collected_artifacts.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "base/json.h"
#include "cli/job_listing.h"
#include "store/issue_name.h"
#include "store/output_folder.h"

namespace orch::cli {
namespace {

constexpr int kDeepest = 64;  // folders in one another

// Walks through the folder of a job and copies its contents.
class Carrier {
 public:
  Carrier(const store::OutputFolder& home, LeftBehind& left) : home_(home), left_(left) {}

  void carry_folder(const std::string& from, const std::string& to, int depth = 0) {
    if (depth > kDeepest) return leave(from, "it lies too deep");
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(from.c_str()), &::closedir);
    if (!folder) return leave(from, errno);
    for (const std::string& name : names_in(*folder, from)) {
      carry(from + "/" + name, to + "/" + name, depth);
    }
  }

 private:
  std::vector<std::string> names_in(DIR& folder, const std::string& path) {
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(&folder)) {  // NOLINT(concurrency-mt-unsafe)
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
      errno = 0;
    }
    if (errno != 0) leave(path, errno);
    std::sort(names.begin(), names.end());
    return names;
  }

  void carry(const std::string& from, const std::string& to, int depth) {
    struct stat info {};
    if (::lstat(from.c_str(), &info) != 0) return leave(from, errno);
    if (S_ISDIR(info.st_mode)) return carry_folder(from, to, depth + 1);
    if (!S_ISREG(info.st_mode)) return leave(from, "it is a link, a pipe or the like");
    if (const base::Status copied = home_.copy(to, from); !copied) leave(from, copied.error().text);
  }

  void leave(const std::string& path, int error) {
    leave(path, std::generic_category().message(error));
  }
  void leave(const std::string& path, const std::string& why) {
    if (++left_.count <= LeftBehind::kMostNamed) left_.named.push_back({path, why});
  }

  const store::OutputFolder& home_;
  LeftBehind& left_;
};

std::string summary_of(const std::vector<engine::Job>& jobs) {
  base::Json json;
  json["code"] = code_of(jobs);
  json["issues"] = base::Json::array();
  for (const engine::Job& job : jobs) {
    if (!engine::is_over(job.state)) continue;
    base::Json issue;
    issue["run"] = base::or_null(job.run);
    issue["issue"] = job.issue;
    issue["session"] = store::session_name(job.issue);
    issue["reason"] = job.reason;
    issue["code"] = job.code;
    issue["detail"] = job.detail;
    issue["ms"] = base::or_null(job.ms);
    issue["turns"] = base::or_null(job.turns);
    json["issues"].push_back(std::move(issue));
  }
  return base::json_text(json);
}

// False if the folder does not exist, as when its volume is not mounted here.
bool is_there(const std::string& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 || errno != ENOENT;
}

}  // namespace

base::Result<LeftBehind> bring_home(const std::string& folder,
                                    const std::vector<engine::Job>& jobs) {
  const base::Result<store::OutputFolder> home = store::OutputFolder::make(folder, "--artifacts");
  if (!home) return home.error();
  LeftBehind left;
  for (const engine::Job& job : jobs) {
    if (!engine::is_over(job.state) || job.artifacts.empty() || !is_there(job.artifacts)) continue;
    Carrier(*home, left).carry_folder(job.artifacts, job.issue);
  }
  if (base::Status s = home->write("summary.json", summary_of(jobs)); !s) return s.error();
  return left;
}

}  // namespace orch::cli
