#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

// Files of a repository are not trusted: its author has chosen their names, links and sizes.
namespace orch::store {

inline constexpr size_t kMaxRepositoryFileBytes = 1 << 20;

// The users whose folders and files are trusted: this process's user, and as root under sudo also
// the user who called sudo, as for git's safe.directory.
struct Owners {
  uid_t self = 0;
  std::optional<uid_t> caller;  // the user who called sudo
  bool include(uid_t user) const { return user == self || (self == 0 && user == caller); }
};
// `sudo_uid` is $SUDO_UID; "" or anything but a number: there is no caller.
Owners owners_of(uid_t self, const std::string& sudo_uid);

// An error if the folder belongs to another user.
base::Status check_owner(const std::string& folder, const Owners& owners);

// Reads the file root/relative. It is a usage error, which names the path, if a symbolic link is on
// the way from the root, or if the file is no regular file, another user's, or larger than
// max_bytes. kNotFound if it does not exist. Never blocks on a pipe or a device.
base::Result<std::string> read_inside(const std::string& root, const std::string& relative,
                                      const Owners& owners,
                                      size_t max_bytes = kMaxRepositoryFileBytes);

}  // namespace orch::store
