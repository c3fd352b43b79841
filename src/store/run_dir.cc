#include "store/run_dir.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "store/folder.h"
#include "store/issue_name.h"

namespace orch::store {
namespace {

base::Result<std::string> absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path result = std::filesystem::absolute(path, error);
  if (error) return base::system_error("state directory " + path, error.value());
  return result.string();
}

}  // namespace

base::Result<std::string> state_dir(const StatePlaces& places) {
  if (places.argument) {
    if (places.argument->empty()) return base::usage_error("--state-dir is empty: name a folder");
    return absolute(*places.argument);
  }
  if (!places.orch_state_dir.empty()) return absolute(places.orch_state_dir);
  if (places.xdg_state_home.starts_with('/')) return places.xdg_state_home + "/orch";
  if (places.home.starts_with('/')) return places.home + "/.local/state/orch";
  return base::usage_error("no state directory: set HOME or name one with --state-dir");
}

std::string make_run_id(TimePoint start, std::string_view issue, uint16_t suffix) {
  return fmt::format("{}-{}-{:04x}", compact_utc(start), issue, suffix);
}

uint16_t random_suffix() {
  uint16_t suffix = 0;
  if (::getentropy(&suffix, sizeof suffix) != 0) suffix = static_cast<uint16_t>(::getpid());
  return suffix;
}

base::Result<RunDir> RunDir::create(const std::string& state_dir, TimePoint start,
                                    std::string_view issue, uint16_t suffix) {
  const base::Status named = check_issue_name(issue);
  if (!named) return named.error();
  const std::string runs = state_dir + "/runs";
  std::vector<std::string> created;
  const base::Status status = create_folders(runs, created);
  if (!status) {
    remove_folders(created);
    return status.error();
  }
  constexpr int kAttempts = 16;
  std::string path;
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt, ++suffix) {
    std::string id = make_run_id(start, issue, suffix);
    path = runs + "/" + id;
    if (::mkdir(path.c_str(), 0700) == 0) {
      created.push_back(path);
      return RunDir(std::move(id), std::move(path), std::move(created));
    }
    error = errno;
    if (error != EEXIST) break;
  }
  remove_folders(created);
  return base::system_error("create folder " + path, error);
}

RunDir::RunDir(std::string id, std::string path, std::vector<std::string> created)
    : id_(std::move(id)), path_(std::move(path)), created_(std::move(created)) {}

void RunDir::discard() const {
  for (const std::string& file :
       {record_file(), prompt_file(), recording_file(), events_file(), transcript_file(),
        result_file(), hook_settings_file(), fence_file(), notices_pipe()}) {
    ::unlink(file.c_str());
  }
  remove_folders(created_);
}

}  // namespace orch::store
