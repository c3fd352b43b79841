#include "base/author.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/json.h"
#include "base/owners.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/text.h"

namespace orch::base {
namespace {

using Identity = std::pair<dev_t, ino_t>;

struct KnownPlaces {
  std::string state_dir;
  std::vector<std::string> folders;
};

KnownPlaces& known_places() {
  static KnownPlaces known;
  return known;
}

std::optional<Identity> identity_of(const std::string& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return std::nullopt;
  return Identity{info.st_dev, info.st_ino};
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

// Calls `look` with the path and each folder above it but "/", innermost first, until it is true.
template <typename Look>
bool any_upwards(std::string path, const Look& look) {
  while (path.size() > 1) {
    if (look(path)) return true;
    path = parent_of(path);
  }
  return false;
}

struct Remembered {
  std::string path;
  Identity identity;  // when it was remembered
};

using Record = std::optional<Remembered>;

// Nullopt if the record was just removed, or has no identity.
Result<Record> read_record(const std::string& file) {
  constexpr size_t kMostBytes = 64 << 10;
  const Fd opened(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened.valid() && errno == ENOENT) return Record();
  std::string text(kMostBytes, '\0');
  const ssize_t count = opened.valid() ? ::read(opened.get(), text.data(), text.size()) : -1;
  if (count < 0) return system_error("read " + file, errno);
  text.resize(static_cast<size_t>(count));
  const Json json = parse_json(text);
  if (!json.is_object()) return Record();
  const auto path = json.find("path"), device = json.find("device"), inode = json.find("inode");
  if (path == json.end() || !path->is_string() || device == json.end() || inode == json.end() ||
      !device->is_number_unsigned() || !inode->is_number_unsigned()) {
    return Record();
  }
  return Record({path->get<std::string>(), {device->get<dev_t>(), inode->get<ino_t>()}});
}

// The remembered folders by their identity. A folder has another name if it, or one above it, is
// mounted a second time.
class RememberedPlaces {
 public:
  // The remembered folder that is `path` or one above it; "" if none.
  Result<std::string> around(const std::string& state_dir, const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (Status done = read(state_dir + "/places"); !done) return done.error();
    std::string around;
    any_upwards(paths_.empty() ? "" : path, [&](const std::string& at) {
      const std::optional<Identity> identity = identity_of(at);
      const auto found = identity ? paths_.find(*identity) : paths_.end();
      // Looks at the folder itself only now: it may be on a disk that does not answer.
      if (found != paths_.end() && identity_of(found->second) == identity) around = found->second;
      return !around.empty();
    });
    return around;
  }

 private:
  // Reads them anew if the folder has changed.
  Status read(const std::string& folder) {
    struct stat info {};
    const bool is_there = ::stat(folder.c_str(), &info) == 0;
    if (!is_there && errno != ENOENT && errno != ENOTDIR)
      return system_error("read " + folder, errno);
    const timespec changed = is_there ? info.st_mtim : timespec{};
    if (folder == folder_ && changed.tv_sec == changed_.tv_sec &&
        changed.tv_nsec == changed_.tv_nsec) {
      return Ok{};
    }
    folder_.clear();
    paths_.clear();
    if (Status done = is_there ? read_records(folder) : Ok{}; !done) return done;
    folder_ = folder;
    changed_ = changed;
    return Ok{};
  }

  Status read_records(const std::string& folder) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
    if (!entries) return system_error("read " + folder, errno);
    for (errno = 0;;) {
      const dirent* entry = ::readdir(entries.get());  // NOLINT(*-mt-unsafe)
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      if (!name.ends_with(".json")) continue;
      Result<Record> record = read_record(folder + "/" + name);
      if (!record) return record.error();
      if (*record) paths_[(*record)->identity] = std::move((*record)->path);
      errno = 0;
    }
    return errno == 0 ? Status(Ok{}) : Status(system_error("read " + folder, errno));
  }

  std::mutex mutex_;
  std::string folder_;  // "": not read
  timespec changed_{};
  std::map<Identity, std::string> paths_;
};

std::string known_folder_around(const std::string& path) {
  std::string around;
  for (const std::string& folder : known_places().folders) {
    if (is_within(path, folder) && folder.size() > around.size()) around = folder;
  }
  return around;
}

// The folder that contains a .orch on the way to `path`, without the last name.
std::string repository_with_orch(const std::string& path) {
  std::string found;
  any_upwards(parent_of(path), [&found](const std::string& at) {
    if (at.ends_with("/.orch")) found = at;
    return !found.empty();
  });
  return found;
}

// If it cannot be read whether agents may write to a place, it counts as one of theirs. The reason
// is printed once, because callers name the path alone.
std::string distrusted_unread(const std::string& path, const Error& why) {
  static bool is_reported = false;
  if (!std::exchange(is_reported, true)) {
    std::fprintf(stderr, "orch: where agents may write is not known: %s\n",
                 printable(why.text).c_str());
  }
  return parent_of(path);
}

// Within the state directory only a folder inside of it is an agent's, such as a worktree.
std::string agents_folder(const std::string& path) {
  const std::string& state_dir = known_places().state_dir;
  std::string around = known_folder_around(path);
  std::string remembered = folder_agents_worked_in(path);
  if (remembered.size() > around.size()) around = std::move(remembered);
  if (!state_dir.empty() && is_within(path, state_dir) && !is_within(around, state_dir)) return "";
  return around.empty() ? repository_with_orch(path) : around;
}

bool is_of_kernel(const std::string& path) {
  return is_within(path, "/proc") || parent_of(path) == "/dev" || is_within(path, "/dev/fd");
}

Owners owners_here() {
  const char* caller = std::getenv("SUDO_UID");  // NOLINT(concurrency-mt-unsafe): no thread sets it
  return owners_of(::geteuid(), caller == nullptr ? "" : caller);
}

// In a user namespace that does not have all users, the missing ones appear as this one, including
// root.
bool is_unmapped(uid_t user) {
  constexpr uid_t kOverflow = 65534;  // /proc/sys/kernel/overflowuid
  if (user != kOverflow) return false;
  const Fd map(::open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  const ssize_t count = map.valid() ? ::read(map.get(), text.data(), text.size() - 1) : 0;
  return count > 0 && std::string_view(text.data()).find("4294967295") == std::string_view::npos;
}

bool is_trusted(const struct stat& info) {
  return info.st_uid == 0 || owners_here().include(info.st_uid);
}

bool others_may_write(const struct stat& info) {
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return false;
  if ((info.st_mode & S_IWOTH) != 0) return true;
  return (info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 &&
         !is_private_group(info.st_gid, info.st_uid);
}

// Whether anybody but the user may replace this entry, or create it. In a folder with the sticky
// bit an entry stays its owner's.
bool others_may_replace(const struct stat& folder, const std::string& entry) {
  if (!is_trusted(folder) && !is_unmapped(folder.st_uid)) return true;
  if (!others_may_write(folder)) return false;
  struct stat info {};
  return (folder.st_mode & S_ISVTX) == 0 || ::lstat(entry.c_str(), &info) != 0 || !is_trusted(info);
}

// The first place on the way to `path` that another user can change; "" if there is none.
std::string place_of_others(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) {
    if (!is_trusted(info)) return path;
    if (others_may_write(info) && (info.st_mode & S_ISVTX) == 0) return path;
  }
  std::string found;
  any_upwards(path, [&](const std::string& at) {
    const std::string folder = parent_of(at);
    if (::lstat(folder.c_str(), &info) == 0 && others_may_replace(info, at)) found = folder;
    return !found.empty();
  });
  return found;
}

}  // namespace

std::string record_of_place(const std::string& state_dir, const std::string& folder) {
  constexpr size_t kLetters = 32;  // of the checksum; enough to distinguish all paths
  return state_dir + "/places/" + sha256_hex(folder).substr(0, kLetters) + ".json";
}

Result<std::string> remembered_place_around(const std::string& state_dir, const std::string& path) {
  static RememberedPlaces places;
  std::string found;
  std::optional<Error> unread;
  any_upwards(path, [&](const std::string& at) {
    const std::string record = record_of_place(state_dir, at);
    if (::access(record.c_str(), F_OK) == 0) {
      found = at;
    } else if (errno != ENOENT && errno != ENOTDIR) {
      unread = system_error("read " + record, errno);
    }
    return !found.empty() || unread;
  });
  if (unread) return *unread;
  if (!found.empty()) return found;
  return places.around(state_dir, path);
}

void know_state_dir(const std::string& state_dir) {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::weakly_canonical(state_dir, failure);
  known_places().state_dir = failure ? state_dir : real.string();
}
void know_folder_of_agents(const std::string& folder) { known_places().folders.push_back(folder); }
void know_nothing() { known_places() = {}; }

std::string folder_agents_worked_in(const std::string& path) {
  const std::string& state_dir = known_places().state_dir;
  if (state_dir.empty()) return "";
  Result<std::string> read = remembered_place_around(state_dir, path);
  return read ? std::move(read).value() : distrusted_unread(path, read.error());
}

bool has_other_names(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 1;
}

std::string folder_of_agents(const std::string& path) { return agents_folder(path); }

Authorship who_may_have_written(const std::string& path) {
  if (std::string folder = agents_folder(path); !folder.empty()) {
    return {Author::kAgent, std::move(folder)};
  }
  if (!known_places().state_dir.empty() && is_within(path, known_places().state_dir))
    return {Author::kOrch, ""};
  if (is_of_kernel(path)) return {Author::kUser, ""};
  std::string others = place_of_others(path);
  return {others.empty() ? Author::kUser : Author::kUnknown, std::move(others)};
}

bool is_of_user(const std::string& path) {
  const Author author = who_may_have_written(path).author;
  return author == Author::kUser || author == Author::kOrch;
}

}  // namespace orch::base
