#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

// What a repository brings is read as a stranger's: whoever wrote it chose its names, its links and
// its sizes.
namespace orch::store {

inline constexpr size_t kMaxRepositoryFileBytes = 1 << 20;

// Whose folders and files may be believed: this user's own, and as root under sudo those of the
// user who called it, as git's safe.directory has it.
struct Owners {
  uid_t self = 0;
  std::optional<uid_t> caller;  // of sudo
  bool include(uid_t user) const { return user == self || (self == 0 && user == caller); }
};
// `sudo_uid` is $SUDO_UID; "" or no number: nobody's.
Owners owners_of(uid_t self, const std::string& sudo_uid);

// An error when the folder belongs to another user.
base::Status check_owner(const std::string& folder, const Owners& owners);

// The whole of root/relative, read once. A usage error, which names the path: a symbolic link on
// the way from the root, anything but a regular file, another user's, or larger than max_bytes.
// kNotFound when there is none. Waits for nobody: neither a named pipe nor a device is opened for
// long.
base::Result<std::string> read_inside(const std::string& root, const std::string& relative,
                                      const Owners& owners,
                                      size_t max_bytes = kMaxRepositoryFileBytes);

}  // namespace orch::store
