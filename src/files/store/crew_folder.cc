#include "store/crew_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/name.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/replace_file.h"

namespace orch::store {
namespace {

using base::Fd;
using base::Result;
using base::Status;

constexpr const char* kState = "state.json";
constexpr const char* kInboxes = "inbox";
constexpr const char* kLock = "lock";
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kMaxInboxRead = size_t{64} << 20;  // because anybody may have written it

Result<Fd> open_folder(int at, const char* name, const std::string& path,
                       CrewFolder::Missing missing) {
  if (missing == CrewFolder::Missing::kIsCreated && ::mkdirat(at, name, 0700) != 0 &&
      errno != EEXIST) {
    return base::system_error("create " + path, errno);
  }
  Fd folder(::openat(at, name, kFolderFlags));
  if (folder.valid()) return folder;
  if (errno == ENOENT) {
    return base::Error{base::ErrorCode::kNotFound, "no crew here: there is no " + path};
  }
  if (errno == ELOOP || errno == ENOTDIR) return base::usage_error(path + " is not a folder");
  return base::system_error("open " + path, errno);
}

// The content of a regular file in the folder; nullopt if it does not exist.
Result<std::optional<std::string>> read_in(const Fd& folder, const char* name,
                                           const std::string& path, size_t most) {
  const Fd file(::openat(folder.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ENOENT) return std::optional<std::string>();
    if (errno == ELOOP) return base::usage_error(path + " is a link; remove it");
    return base::system_error("open " + path, errno);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return base::system_error("read " + path, errno);
  if (!S_ISREG(info.st_mode)) return base::usage_error(path + " is not a file; remove it");
  Result<std::string> text = read_open_file(file, path, most);
  if (!text) return text.error();
  return std::optional(std::move(text).value());
}

// Replaces the file in one step, whatever was there. Does not wait for the disk, because a host
// calls this in its loop.
Status write_in(const Fd& folder, const char* name, const std::string& path,
                std::string_view text) {
  NewFile file;
  file.sync = Sync::kNone;
  return replace_file(folder, name, path, file, [text](const Fd& opened, const std::string& named) {
    return write_all(opened, named, text);
  });
}

Result<Fd> lock_in(const Fd& folder, const std::string& name, const std::string& path,
                   int64_t patience_ms) {
  Fd lock(::openat(folder.get(), name.c_str(),
                   O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!lock.valid()) return base::system_error("lock " + path, errno);
  if (lock_open(lock, patience_ms)) return lock;
  if (errno != EWOULDBLOCK) return base::system_error("lock " + path, errno);
  return base::usage_error(path + " is being written by somebody; try again");
}

Status check_agent(std::string_view agent) {
  if (base::is_name(agent)) return base::Ok{};
  return base::usage_error("no agent has such a name");
}

}  // namespace

Result<CrewFolder> CrewFolder::open(const std::string& project, Missing missing) {
  const std::string path = project + "/" + kName;
  const Fd root(::open(project.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return base::system_error("open " + project, errno);
  Result<Fd> folder = open_folder(root.get(), kName, path, missing);
  if (!folder) return folder.error();
  // Without the folder of the inboxes no mail has come; whether a crew is up is in its state.
  Result<Fd> inboxes =
      open_folder(folder->get(), kInboxes, path + "/" + kInboxes, Missing::kIsCreated);
  if (!inboxes) return inboxes.error();
  if (missing == Missing::kIsCreated) {
    if (Status s = write_in(*folder, ".gitignore", path + "/.gitignore", "*\n"); !s) {
      return s.error();
    }
  }
  return CrewFolder(path, std::move(folder).value(), std::move(inboxes).value());
}

Result<Fd> CrewFolder::lock() const { return lock_in(folder_, kLock, path_ + "/" + kLock, 0); }

bool CrewFolder::is_there() const {
  struct stat here {
  }, there{};
  const auto same = [&] { return here.st_ino == there.st_ino && here.st_dev == there.st_dev; };
  if (::fstat(folder_.get(), &here) != 0 || ::lstat(path_.c_str(), &there) != 0 || !same()) {
    return false;
  }
  if (::fstatat(folder_.get(), kState, &there, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return ::fstat(inboxes_.get(), &here) == 0 &&
         ::fstatat(folder_.get(), kInboxes, &there, AT_SYMLINK_NOFOLLOW) == 0 && same();
}

uint64_t CrewFolder::inbox_bytes(std::string_view agent) const {
  struct stat info {};
  const std::string name = std::string(agent) + ".md";
  const bool is_file = check_agent(agent) &&
                       ::fstatat(inboxes_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISREG(info.st_mode);
  return is_file ? static_cast<uint64_t>(info.st_size) : 0;
}

Result<std::optional<std::string>> CrewFolder::read_state() const {
  return read_in(folder_, kState, path_ + "/" + kState, kMaxStateBytes);
}

Status CrewFolder::write_state(std::string_view text) const {
  return write_in(folder_, kState, path_ + "/" + kState, text);
}

std::string CrewFolder::inbox_of(std::string_view agent) {
  return std::string(kName) + "/" + kInboxes + "/" + std::string(agent) + ".md";
}

Result<std::string> CrewFolder::read_inbox(std::string_view agent) const {
  if (Status s = check_agent(agent); !s) return s.error();
  const std::string name = std::string(agent) + ".md";
  auto text = read_in(inboxes_, name.c_str(), path_ + "/inbox/" + name, kMaxInboxRead);
  if (!text) return text.error();
  return text->value_or("");
}

Status CrewFolder::append_to_inbox(std::string_view agent, std::string_view entry, size_t most,
                                   int64_t patience_ms) const {
  if (Status s = check_agent(agent); !s) return s;
  const std::string name = std::string(agent) + ".md", path = path_ + "/inbox/" + name;
  const Result<Fd> lock = lock_in(inboxes_, "." + std::string(agent) + ".lock", path, patience_ms);
  if (!lock) return lock.error();
  auto text = read_in(inboxes_, name.c_str(), path, kMaxInboxRead);
  if (!text) return text.error();
  if (text->value_or("").size() + entry.size() > most) {
    return base::usage_error(path + " is full; once it is read, remove it");
  }
  return write_in(inboxes_, name.c_str(), path, text->value_or("").append(entry));
}

}  // namespace orch::store
