#include "setup/own_programs.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/own_program.h"
#include "base/path.h"
#include "base/text.h"
#include "engine/submission.h"
#include "fence/grant.h"
#include "fence/work_places.h"
#include "setup/paths.h"
#include "store/run_dir.h"

namespace orch::setup {

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

// If it cannot be read whether agents may write to a place, it counts as one of theirs. The reason
// is printed once, because callers only name the path.
std::string distrusted_unread(const std::string& path, const base::Error& why) {
  static bool told = false;
  if (!std::exchange(told, true)) {
    std::fprintf(stderr, "orch: where agents may write is not known: %s\n",
                 base::printable(why.text).c_str());
  }
  return fs::path(path).parent_path().string();
}

std::string agents_folder_around(const std::string& path) {
  for (const std::string& folder : known().folders) {
    if (base::is_within(path, folder)) return folder;
  }
  if (known().state_dir.empty()) return "";
  const store::Found<std::string> place = fence::WorkPlaces(known().state_dir).holding(path);
  if (place.is_present()) return *place;
  return place.is_absent() ? "" : distrusted_unread(path, place.error());
}

enum class Missing : uint8_t {
  kError,
  kRest,  // the rest of the path is taken as it is written
};

// Walks along a path and follows one link after the other.
class WayToPlace {
 public:
  WayToPlace(std::string path, Missing missing) : path_(std::move(path)), missing_(missing) {}

  base::Result<std::string> real() {
    std::error_code failure;
    const fs::path whole = fs::absolute(path_, failure);
    if (failure) return base::system_error(base::printable(path_), failure.value());
    return go("/", whole.string());
  }

 private:
  base::Result<std::string> go(std::string at, const std::string& way) {
    for (const fs::path& step : fs::path(way)) {
      const std::string name = step.string();
      if (name.empty() || name == "." || name == "/") continue;
      if (name == "..") {
        at = fs::path(at).parent_path().string();
        continue;
      }
      const std::string next = (fs::path(at) / name).string();
      std::error_code failure;
      const fs::file_type type = fs::symlink_status(next, failure).type();
      if (type == fs::file_type::not_found && missing_ == Missing::kError) {
        return base::Error{base::ErrorCode::kNotFound,
                           base::printable(path_) + ": there is no such file or folder"};
      }
      if (type != fs::file_type::symlink) {
        at = next;
        continue;
      }
      base::Result<std::string> target = follow(at, next);
      if (!target) return target;
      at = std::move(target).value();
    }
    return at;
  }

  base::Result<std::string> follow(const std::string& folder, const std::string& link) {
    constexpr int kMostLinks = 40;  // the kernel's limit, too
    std::error_code failure;
    const fs::path text = fs::read_symlink(link, failure);
    if (failure || ++links_ > kMostLinks) {
      return base::system_error(base::printable(link), failure ? failure.value() : ELOOP);
    }
    base::Result<std::string> target = go(text.is_absolute() ? "/" : folder, text.string());
    const std::string agents = base::folder_of_agents(folder);
    if (!target || agents.empty() || base::is_within(*target, agents)) return target;
    return base::usage_error(
        base::printable(link) +
        " is a link in a folder where agents write, and leads out of it: name what it leads to");
  }

  std::string path_;
  Missing missing_;
  int links_ = 0;
};

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

// Leaves out folders that could not be granted to an agent, such as "/": nothing in there would be
// trusted any more.
void distrust_folder(const std::string& folder) {
  const fence::Guarded homes{fence::homes_of_user(environment("HOME")), "", {}};
  if (fence::grant(folder, homes)) known().folders.push_back(folder);
}

fence::Guarded guarded_here(const std::string& state_dir) {
  fence::Guarded guarded =
      fence::guarded_of_user(environment("HOME"), environment("XDG_CONFIG_HOME"), state_dir);
  guarded.verdicts = engine::submission_places(state_dir);
  return guarded;
}

base::Result<std::string> named_place(const std::string& path) {
  return WayToPlace(path, Missing::kError).real();
}

base::Result<std::string> place_to_be(const std::string& path) {
  return WayToPlace(path, Missing::kRest).real();
}

base::Status check_links(const std::string& path) {
  if (path.empty()) return base::Ok{};
  const base::Result<std::string> real = place_to_be(path);
  if (real || real.error().code != base::ErrorCode::kUsage) return base::Ok{};
  return real.error();
}

}  // namespace orch::setup
