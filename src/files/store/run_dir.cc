#include "store/run_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/runs.h"
#include "store/state_file.h"

namespace orch::store {
namespace {

base::Result<std::string> absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path result = std::filesystem::absolute(path, error);
  if (error) return base::system_error("state directory " + path, error.value());
  return result.string();
}

// The folders that orch creates in a state directory.
constexpr std::string_view kSockets = "sockets";
constexpr std::array<std::string_view, 12> kFolders{"runs",   "sessions", kSockets, "summaries",
                                                    "tasks",  "undos",    "crews",  "limits",
                                                    "places", "landings", "races",  "gate-locks"};

bool holds_state_alone(const std::string& folder) {
  const base::Result<std::vector<std::string>> names = names_in_folder(folder);
  return names && std::all_of(names->begin(), names->end(), [](const std::string& name) {
           return std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end();
         });
}

// The clock's time, or a later one if a run has this time or a later one: clocks are set back, and
// two runs may begin at once. The newest run is the one with the greatest id.
base::Result<TimePoint> time_of_next(const std::string& state_dir, TimePoint clock) {
  const base::Result<std::vector<RunFolder>> runs = run_folders(state_dir);
  if (!runs) return runs.error();
  if (runs->empty()) return clock;
  return std::max(clock, time_in_name(runs->back()) + std::chrono::milliseconds(1));
}

// The lock is held while the next id is found and its folder created. Without it two runs that
// begin at once would get the same time, and their random suffixes would decide which is newer.
// Waits for it only briefly; if that fails, or on disks without flock(2), the run goes on without
// it.
base::Fd lock_ids(const std::string& runs) {
  constexpr int kPatienceMs = 2000;
  base::Fd folder(::open(runs.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid()) (void)lock_open(folder, kPatienceMs);
  return folder;
}

base::Error named_otherwise(const base::Error& error) {
  return base::usage_error(error.text + "; name a state directory of your own: --state-dir");
}

// A folder that cannot be read must not be mistaken for an empty one.
base::Status check_listed(const std::string& folder) {
  const base::Fd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.valid() || errno == ENOENT) return base::Ok{};
  return base::system_error("list " + folder, errno);
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

base::Result<std::vector<std::string>> close_state_dir(const std::string& state_dir) {
  std::vector<std::string> closed;
  const auto close = [&closed](const std::string& folder) -> base::Status {
    if (base::Status s = make_private(folder); !s) return s;
    closed.push_back("folder " + folder + " was open to others; now it is not (mode 0700)");
    return base::Ok{};
  };
  const base::Result<Privacy> whole = privacy_of(state_dir);
  if (!whole) return named_otherwise(whole.error());
  const bool open_to_others = *whole == Privacy::kReadable || *whole == Privacy::kWritable;
  if (open_to_others && holds_state_alone(state_dir)) {
    if (base::Status s = close(state_dir); !s) return s.error();
  } else if (*whole == Privacy::kWritable) {
    return named_otherwise(base::usage_error("others may write in folder " + state_dir));
  }
  for (const std::string_view name : kFolders) {
    if (name == kSockets)
      continue;  // checked when a socket is made; a session also runs without one
    const std::string folder = state_dir + "/" + std::string(name);
    const base::Result<Privacy> part = privacy_of(folder);
    if (!part) return named_otherwise(part.error());
    if (base::Status s = check_listed(folder); !s) return s.error();
    if (*part == Privacy::kPrivate || *part == Privacy::kMissing) continue;
    if (base::Status s = close(folder); !s) return s.error();
  }
  return closed;
}

std::string make_run_id(TimePoint start, std::string_view issue, uint16_t suffix) {
  return fmt::format("{}-{}-{:04x}", compact_utc_ms(start), issue, suffix);
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
  const base::Fd lock = lock_ids(runs);
  const base::Result<TimePoint> time = time_of_next(state_dir, start);
  if (!time) {
    remove_folders(created);
    return time.error();
  }
  constexpr int kAttempts = 16;
  std::string path;
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt, ++suffix) {
    std::string id = make_run_id(*time, issue, suffix);
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
    : id_(std::move(id)), folder_(std::move(path)), created_(std::move(created)) {}

void remove_servers(const std::string& run_dir) {
  for (const char* folder : {"/", "/shown/"}) {
    ::unlink((run_dir + folder + std::string(kShownServers)).c_str());
  }
}

void RunDir::discard() const {
  for (const std::string& file : {record_file(),
                                  prompt_file(),
                                  recording_file(),
                                  events_file(),
                                  transcript_file(),
                                  result_file(),
                                  last_screen_file(),
                                  hook_settings_file(),
                                  hook_script_file(),
                                  mcp_servers_file(),
                                  shown_folder() + "/" + std::string(kShownServers),
                                  hook_program_file(),
                                  fence_file(),
                                  notices_pipe(),
                                  log_file(),
                                  container_id_file(),
                                  shown_folder() + "/" + std::string(kShownSettings),
                                  shown_folder() + "/" + std::string(kShownScript),
                                  shown_socket(),
                                  plugin_file(),
                                  shown_folder() + "/" + std::string(kPluginFile)}) {
    ::unlink(file.c_str());
  }
  ::rmdir((path() + "/plugin").c_str());
  ::rmdir((shown_folder() + "/plugin").c_str());
  ::rmdir(shown_folder().c_str());
  remove_folders(created_);
}

}  // namespace orch::store
