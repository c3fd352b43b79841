#include "fence/grant.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "fence/places.h"

namespace orch::fence {

namespace fs = std::filesystem;
using base::Result;

namespace {

// They contain programs and settings of the whole machine.
constexpr std::array<std::string_view, 19> kSystemFolders{
    "/bin",   "/boot", "/dev",     "/etc",       "/home",   "/lib",  "/lib32",
    "/lib64", "/opt",  "/proc",    "/root",      "/run",    "/sbin", "/sys",
    "/usr",   "/var",  "/var/lib", "/usr/local", "/usr/bin"};

base::Error not_granted(const std::string& path, const std::string& why) {
  return base::usage_error(base::printable(path) + " " + why);
}

// The path without links; if it does not exist, its existing folders are resolved.
std::string real_place(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(path, failure);
  return failure ? path : real.string();
}

std::string hollow(const std::string& what) {
  return "is or holds " + what + ", so a fence around it would hold nothing";
}

constexpr const char* kHome = "your home directory";
constexpr const char* kRecords = "orch's own records";
constexpr const char* kConfiguration = "orch's own configuration";
constexpr const char* kVerdicts = "the verdicts of orch submit";

std::string why_guarded(const std::string& path, const Guarded& guarded) {
  if (path == "/") return "holds everything, so a fence around it would hold nothing";
  for (const std::string& home : guarded.homes) {
    if (!home.empty() && is_within(real_place(home), path)) return hollow(kHome);
  }
  if (!guarded.state_dir.empty() && is_within(real_place(guarded.state_dir), path)) {
    return hollow(kRecords);
  }
  for (const std::string& place : guarded.configuration) {
    const std::string real = real_place(place);
    if (is_within(real, path) || is_within(path, real)) return hollow(kConfiguration);
  }
  for (const std::string& place : guarded.verdicts) {
    const std::string real = real_place(place);
    if (is_within(real, path) || is_within(path, real)) return hollow(kVerdicts);
  }
  if (std::find(kSystemFolders.begin(), kSystemFolders.end(), path) != kSystemFolders.end()) {
    return hollow("what belongs to the system");
  }
  return {};
}

// Whether the open folder is `place` or contains it, whatever it is called: a file system may be
// mounted twice.
bool is_or_holds(const struct stat& folder, const std::string& place) {
  for (fs::path at = real_place(place); at.has_relative_path(); at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) == 0 && info.st_dev == folder.st_dev &&
        info.st_ino == folder.st_ino) {
      return true;
    }
  }
  return false;
}

std::string why_same_as_guarded(const base::Fd& opened, const Guarded& guarded) {
  struct stat info {};
  if (::fstat(opened.get(), &info) != 0 || !S_ISDIR(info.st_mode)) return {};
  for (const std::string& home : guarded.homes) {
    if (!home.empty() && is_or_holds(info, home)) return hollow(kHome);
  }
  if (!guarded.state_dir.empty() && is_or_holds(info, guarded.state_dir)) return hollow(kRecords);
  for (const std::string& place : guarded.configuration) {
    if (is_or_holds(info, place)) return hollow(kConfiguration);
  }
  for (const std::string& place : guarded.verdicts) {
    if (is_or_holds(info, place)) return hollow(kVerdicts);
  }
  return {};
}

base::Fd open_step(int folder, const std::string& name) {
  return base::Fd(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

// Opens `rest` step by step, from an open folder. O_PATH would open a link itself, so each step is
// checked.
Result<base::Fd> walk(base::Fd at, std::string_view rest, const std::string& whole) {
  while (!rest.empty()) {
    const std::string name(base::take_until(rest, '/'));
    if (name.empty() || name == ".") continue;
    if (name == "..") return not_granted(whole, "leads upwards by a \"..\"");
    at = open_step(at.get(), name);
    if (!at.valid() && (errno == ENOENT || errno == ENOTDIR)) {
      return base::Error{base::ErrorCode::kNotFound, base::printable(whole) + " is not there"};
    }
    if (!at.valid()) return base::system_error(base::printable(whole), errno);
    struct stat info {};
    if (::fstat(at.get(), &info) != 0) return base::system_error(base::printable(whole), errno);
    if (S_ISLNK(info.st_mode)) {
      return not_granted(whole, "leads through the link " + base::printable(name));
    }
  }
  return at;
}

Result<base::Fd> open_without_links(const std::string& path) {
  base::Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return base::system_error("/", errno);
  return walk(std::move(root), path, path);
}

Result<Grant> grant_of(const base::Fd& opened, std::string path) {
  struct stat info {};
  if (::fstat(opened.get(), &info) != 0) return base::system_error(base::printable(path), errno);
  Grant grant{std::move(path), 0, 0};
  if (S_ISDIR(info.st_mode)) {
    grant.device = info.st_dev;
    grant.inode = info.st_ino;
  }
  return grant;
}

}  // namespace

Guarded guarded_of_user(const std::string& home, const std::string& xdg_config_home,
                        std::string state_dir) {
  Guarded guarded{homes_of_user(home), std::move(state_dir), {}};
  if (!home.empty()) guarded.configuration = {home + "/.config/orch"};
  if (!xdg_config_home.empty()) guarded.configuration.push_back(xdg_config_home + "/orch");
  // Its entries may be links to elsewhere, for example if users keep their settings in a
  // repository.
  const std::vector<std::string> folders = guarded.configuration;
  for (const std::string& folder : folders) {
    for (const char* inner : {"", "/adapters"}) {
      std::error_code failure;
      for (fs::directory_iterator entry(folder + inner, failure), end; !failure && entry != end;
           entry.increment(failure)) {
        if (entry->is_symlink(failure)) guarded.configuration.push_back(entry->path().string());
      }
    }
  }
  return guarded;
}

std::vector<std::string> homes_of_user(const std::string& home) {
  std::vector<std::string> homes;
  if (home.starts_with('/') && home != "/") homes.push_back(home);
  std::array<char, 16 << 10> buffer{};
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr && entry.pw_dir != nullptr) {
    const std::string listed = entry.pw_dir;
    if (listed.starts_with('/') && listed != "/" && listed != home) homes.push_back(listed);
  }
  return homes;
}

Result<Grant> grant(const std::string& path, const Guarded& guarded) {
  const std::optional<std::string> real = resolved(path);
  if (!real) return not_granted(path, "is not there");
  return grant_as_decided(*real, guarded);
}

Result<Grant> grant_as_decided(const std::string& path, const Guarded& guarded) {
  if (std::string why = why_guarded(path, guarded); !why.empty()) return not_granted(path, why);
  const Result<base::Fd> opened = open_without_links(path);
  if (!opened) return opened.error();
  if (std::string why = why_same_as_guarded(*opened, guarded); !why.empty()) {
    return not_granted(path, why);
  }
  return grant_of(*opened, path);
}

Result<Grant> grant_beneath(const Grant& root, const std::string& path) {
  std::string_view way = path;
  if (way.starts_with('/')) {
    if (!is_within(way, root.path)) {
      return not_granted(path, "lies outside of " + base::printable(root.path));
    }
    way.remove_prefix(root.path.size());
  }
  Result<base::Fd> at = open_granted(root);
  if (!at) return at.error();
  const Result<base::Fd> opened = walk(std::move(at).value(), way, path);
  if (!opened) return opened.error();
  const fs::path whole = fs::path(root.path) / fs::path(way).relative_path();
  std::string plain = whole.lexically_normal().string();
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  return grant_of(*opened, std::move(plain));
}

Result<base::Fd> open_granted(const Grant& grant) {
  Result<base::Fd> opened = open_without_links(grant.path);
  if (!opened) return opened;
  const Result<Grant> now = grant_of(*opened, grant.path);
  if (!now) return now.error();
  if (*now != grant) return not_granted(grant.path, "is another folder than the one granted");
  return opened;
}

}  // namespace orch::fence
