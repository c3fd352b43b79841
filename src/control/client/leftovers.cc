#include "client/leftovers.h"

#include <filesystem>

#include "pty/cgroup.h"
#include "sandbox/orphans.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/state_file.h"
#include "store/temporary_folder.h"

namespace orch::client {

namespace fs = std::filesystem;

namespace {

// Whether this is a run of this state directory that has certainly ended. An error if that could
// not be read.
base::Result<bool> run_is_over(const std::string& state_dir, const std::string& run_id) {
  if (run_id.empty() || run_id.find('/') != std::string::npos) return false;
  const store::Found<store::RunRecord> record =
      store::record_of({state_dir + "/runs/" + run_id, run_id, ""});
  if (record.is_unknown()) return record.error();
  if (record.is_absent() || record->id != run_id) return false;
  const base::Result<store::RunStatus> now = store::status_now(state_dir, *record);
  if (!now) return now.error();
  return *now != store::RunStatus::kStarting && *now != store::RunStatus::kRunning;
}

// The control group of a run that has ended, if no process lives in it; otherwise "". The groups of
// a run's checks are inside of the run's own group and are removed with it.
base::Result<std::string> stale_group(const std::string& state_dir, const std::string& parent,
                                      const std::string& run_id) {
  const base::Result<bool> is_over = run_is_over(state_dir, run_id);
  if (!is_over) return is_over.error();
  if (!*is_over) return std::string();
  const auto group = pty::Cgroup::find(parent, run_id);
  if (group == nullptr) return std::string();
  const bool lives = !group->processes().empty();
  std::string path = group->leave();  // looking removes nothing
  return lives ? std::string() : path;
}

base::Status remove_group(const std::string& path) {
  if (pty::remove_cgroup(path)) return base::Ok{};
  return base::Error{base::ErrorCode::kSystem, path + " was not removed"};
}

void remove_temporary_folders() {
  for (const std::string& path : store::abandoned_temporary_folders()) {
    (void)store::remove_temporary_folder(path);
  }
}

}  // namespace

Leftovers find_leftovers(const std::string& state_dir) {
  Leftovers leftovers;
  for (const std::string& path : store::abandoned_temporary_folders()) {
    leftovers.found.push_back({"folder for temporary files", path,
                               [path] { return store::remove_temporary_folder(path); }});
  }
  for (const pty::RunGroup& group : pty::own_run_groups()) {
    const std::string parent = fs::path(group.path).parent_path();
    base::Result<std::string> path = stale_group(state_dir, parent, group.run_id);
    if (!path) {
      leftovers.unknown.push_back({group.path, path.error().text});
    } else if (!path->empty()) {
      leftovers.found.push_back(
          {"control group", *path, [path = *path] { return remove_group(path); }});
    }
  }
  return leftovers;
}

Leftovers find_containers() {
  Leftovers leftovers;
  for (const auto kind : {sandbox::EngineKind::kDocker, sandbox::EngineKind::kPodman}) {
    const std::optional<sandbox::Engine> engine = sandbox::find_client(kind);
    if (!engine) continue;
    const base::Result<std::vector<sandbox::Orphan>> orphans = sandbox::find_orphans(*engine);
    if (!orphans) {
      leftovers.unknown.push_back({std::string(name(kind)), orphans.error().text});
      continue;
    }
    for (const sandbox::Orphan& orphan : *orphans) {
      leftovers.found.push_back({"container", orphan.name, [engine = *engine, name = orphan.name] {
                                   return sandbox::remove_container(engine, name);
                                 }});
    }
  }
  return leftovers;
}

void remove_leftovers(const std::string& state_dir) {
  remove_temporary_folders();
  const std::string parent = pty::own_cgroup();
  if (parent.empty()) return;
  const base::Result<std::vector<std::string>> names = store::names_in_folder(parent);
  if (!names) return;
  for (const std::string& name : *names) {
    std::error_code no_folder;
    if (!fs::is_directory(parent + "/" + name, no_folder)) continue;
    const base::Result<std::string> path = stale_group(state_dir, parent, fs::path(name).stem());
    if (path && !path->empty()) (void)pty::remove_cgroup(*path);
  }
}

}  // namespace orch::client
