#include "pty/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include "pty/proc_file.h"

namespace orch::pty {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRunSuffix = ".orch";
// A killed process leaves its group within milliseconds, and only an empty group can be removed.
// The loop may be held up by this.
constexpr int kRemoveAttempts = 8;
constexpr timespec kRemovePause{0, 1'000'000};

std::string group_of_run(const std::string& parent, std::string_view run_id) {
  return parent + "/" + std::string(run_id) + std::string(kRunSuffix);
}

bool write_word(const std::string& path, std::string_view word) {
  const base::Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.valid() &&
         ::write(file.get(), word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

// The folders in `path`, which are groups; others may be made and removed during the search. A
// group that vanishes hides only itself.
std::vector<std::string> groups_in(const std::string& path) {
  std::vector<std::string> groups;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) return groups;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") {
      groups.push_back(path + "/" + std::string(name));
    }
  }
  return groups;
}

// The groups below `path`, inner ones first, then `path` itself.
std::vector<std::string> inside_out(const std::string& path) {
  std::vector<std::string> groups;
  for (const std::string& inner : groups_in(path)) {
    for (std::string& group : inside_out(inner)) groups.push_back(std::move(group));
  }
  groups.push_back(path);
  return groups;
}

// Where version 2 is mounted; "" if it is not.
std::string cgroup_mount() {
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs system {};
    if (::statfs(mount, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC) return mount;
  }
  return "";
}

// Calls `take` with the path of each run's group below `path`, outer ones first, until it returns
// false; returns false then.
bool each_run_group_in(const std::string& path, const std::function<bool(const fs::path&)>& take) {
  for (const std::string& group : groups_in(path)) {
    if (group.ends_with(kRunSuffix) && !take(group)) return false;
    if (!each_run_group_in(group, take)) return false;
  }
  return true;
}

std::string cgroup_in(std::istream& groups) {
  constexpr std::string_view kVersion2 = "0::";  // cgroups(7), /proc/[pid]/cgroup
  std::string path;
  while (std::getline(groups, path) && !path.starts_with(kVersion2)) continue;
  if (!path.starts_with(kVersion2) || path.find("/..") != std::string::npos) return "";
  path.erase(0, kVersion2.size());
  if (path == "/") path.clear();
  const std::string mount = cgroup_mount();
  return mount.empty() ? "" : mount + path;
}

}  // namespace

std::vector<RunGroup> own_run_groups() { return own_run_groups_in(cgroup_mount()); }

std::vector<RunGroup> own_run_groups_in(const std::string& tree) {
  std::vector<RunGroup> groups;
  each_run_group_in(tree, [&groups](const fs::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && info.st_uid == ::geteuid()) {
      groups.push_back({path.stem(), path});
    }
    return true;
  });
  return groups;
}

bool remove_cgroup(const std::string& path) {
  bool removed = true;
  for (const std::string& group : inside_out(path)) removed = ::rmdir(group.c_str()) == 0;
  return removed || ::access(path.c_str(), F_OK) != 0;
}

std::string own_cgroup() {
  std::ifstream groups("/proc/self/cgroup");
  return cgroup_in(groups);
}

std::string cgroup_of(pid_t pid) {
  std::istringstream groups(read_proc(pid, "cgroup"));
  return cgroup_in(groups);
}

void leave_run_cgroups() {
  fs::path outside;
  for (const fs::path& part : fs::path(own_cgroup())) {
    if (part.extension() == kRunSuffix) {
      write_word(outside / "cgroup.procs", "0");
      return;
    }
    outside /= part;
  }
}

std::unique_ptr<Cgroup> Cgroup::create(const std::string& parent, std::string_view run_id) {
  const std::string path = group_of_run(parent, run_id);
  if (parent.empty() || ::mkdir(path.c_str(), 0755) != 0) return nullptr;
  return find(parent, run_id);
}

std::unique_ptr<Cgroup> Cgroup::find(const std::string& parent, std::string_view run_id) {
  const std::string path = group_of_run(parent, run_id);
  if (parent.empty() || ::access(path.c_str(), F_OK) != 0) return nullptr;
  return std::unique_ptr<Cgroup>(new Cgroup(path));
}

std::unique_ptr<Cgroup> Cgroup::find_anywhere(std::string_view run_id) {
  std::unique_ptr<Cgroup> found;
  if (run_id.empty()) return found;
  each_run_group_in(cgroup_mount(), [&](const fs::path& path) {
    if (path.stem() == run_id) found = find(path.parent_path(), run_id);
    return found == nullptr;
  });
  return found;
}

Cgroup::~Cgroup() {
  if (left_) return;
  for (int i = 0; i < kRemoveAttempts && !remove_cgroup(path_); ++i) {
    ::nanosleep(&kRemovePause, nullptr);
  }
}

base::Fd Cgroup::entrance() const {
  return base::Fd(::open((path_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
}

std::string Cgroup::leave() {
  left_ = true;
  return path_;
}

std::vector<pid_t> Cgroup::processes() const {
  std::vector<pid_t> pids;
  for (const std::string& group : inside_out(path_)) {
    std::ifstream list(group + "/cgroup.procs");
    for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  }
  return pids;
}

bool Cgroup::is_frozen() const {
  for (fs::path group = path_; group.extension() == kRunSuffix; group = group.parent_path()) {
    std::ifstream freeze(group / "cgroup.freeze");
    if (freeze.get() == '1') return true;
  }
  return false;
}

void Cgroup::kill() const { write_word(path_ + "/cgroup.kill", "1"); }

}  // namespace orch::pty
