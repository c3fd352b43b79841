#include "cli/own_programs.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/own_program.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/paths.h"
#include "fence/grant.h"
#include "fence/work_places.h"
#include "store/run_dir.h"

namespace orch::cli {

namespace fs = std::filesystem;

namespace {

struct Known {
  std::string state_dir;
  std::vector<std::string> folders;
};

Known& known() {
  static Known known;
  return known;
}

std::string agents_folder_around(const std::string& path) {
  for (const std::string& folder : known().folders) {
    if (base::is_within(path, folder)) return folder;
  }
  return known().state_dir.empty() ? "" : fence::WorkPlaces(known().state_dir).holding(path);
}

}  // namespace

void guard_own_programs() {
  if (const base::Result<std::string> here = resolve_folder(".")) {
    distrust_folder(repository_of(*here));
  }
  const base::Result<std::string> state_dir =
      store::state_dir({.argument = std::nullopt,
                        .orch_state_dir = environment("ORCH_STATE_DIR"),
                        .xdg_state_home = environment("XDG_STATE_HOME"),
                        .home = environment("HOME")});
  if (state_dir) remember_by(*state_dir);
  base::distrust_places(agents_folder_around);
}

void remember_by(const std::string& state_dir) { known().state_dir = state_dir; }

// Not where agents could not be shut in, as with "/": nothing there would be trusted any more.
void distrust_folder(const std::string& folder) {
  const fence::Guarded guarded{fence::homes_of_user(environment("HOME")), ""};
  if (fence::grant(folder, guarded)) known().folders.push_back(folder);
}

base::Status check_links(const std::string& path) {
  std::error_code failure;
  fs::path way;
  for (const fs::path& step : fs::absolute(path, failure)) {
    const fs::path folder = fs::canonical(way.empty() ? "/" : way, failure);
    if (failure) return base::Ok{};  // from here on nothing is there
    way /= step;
    if (!fs::is_symlink(fs::symlink_status(way, failure))) continue;
    const std::string agents = base::folder_of_agents(folder.string());
    if (agents.empty()) continue;
    const fs::path target = fs::weakly_canonical(way, failure);
    if (failure || !base::is_within(target.string(), agents)) {
      return base::usage_error(
          base::printable(way.string()) +
          " is a link in a folder where agents write, and leads out of it: name what it leads to");
    }
  }
  return base::Ok{};
}

}  // namespace orch::cli
