#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "pty/cgroup.h"
#include "setup/checkup.h"

namespace orch::setup {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

constexpr uint64_t kMegabyte = 1 << 20;
constexpr uint64_t kLittleSpace = 512 * kMegabyte;  // two recordings at their limit

std::string why(int error) { return std::generic_category().message(error); }

// The longest part of a path that exists.
std::string existing(fs::path path) {
  std::error_code failure;
  while (!fs::exists(path, failure) && path.has_relative_path()) path = path.parent_path();
  return path.string();
}

// Makes a file, locks it as a session's file is locked, and removes it. Returns "", or the failed
// step.
std::string try_folder(const std::string& folder) {
  std::string name = folder + "/.doctor-XXXXXX";
  const base::Fd file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) return "no file can be made there: " + why(errno);
  ::unlink(name.c_str());
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) return "files cannot be locked: " + why(errno);
  return "";
}

Finding check_state(const base::Result<std::string>& state_dir) {
  Finding finding{State::kBad, "machine", "state", "", "", {}};
  finding.remedy = "name another place with $ORCH_STATE_DIR or --state-dir";
  if (!state_dir) {
    finding.text = state_dir.error().text;
    return finding;
  }
  const std::string folder = existing(*state_dir);
  finding.text = *state_dir;
  const std::string trouble = try_folder(folder);
  if (!trouble.empty()) {
    finding.text += ": " + folder + ": " + trouble;
    return finding;
  }
  finding.state = State::kGood;
  finding.remedy.clear();
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0) return finding;
  const uint64_t free = uint64_t{space.f_bavail} * space.f_frsize;
  finding.details = {{"free_bytes", free}};
  finding.text += ", " + std::to_string(free / kMegabyte) + " MB left";
  if (free < kLittleSpace) {
    finding.state = State::kNote;
    finding.remedy = "make room: orch gc --older-than 7d; a full disk ends runs with 125";
  }
  return finding;
}

Finding check_proc() {
  if (::access("/proc/self/stat", R_OK) == 0) {
    return {State::kGood, "machine", "/proc", "mounted", "", {}};
  }
  return {
      State::kBad, "machine", "/proc", "cannot be read: " + why(errno), "mount -t proc proc /proc",
      {}};
}

Finding check_cgroups() {
  const std::string own = pty::own_cgroup();
  const std::string name = "doctor-" + std::to_string(::getpid());
  const bool made = pty::Cgroup::create(own, name) != nullptr;  // removed again at once
  if (made) return {State::kGood, "machine", "control groups", "can be made in " + own, "", {}};
  return {State::kNote,
          "machine",
          "control groups",
          own.empty() ? "none of version 2 here" : "none can be made in " + own,
          "none is needed: an init of its own holds what a run starts; with one, all of it ends "
          "at once (systemd-run --user --scope -p Delegate=yes)",
          {}};
}

}  // namespace

std::vector<Finding> check_machine(const base::Result<std::string>& state_dir) {
  return {check_state(state_dir), check_proc(), check_cgroups()};
}

}  // namespace orch::setup
