#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace orch::base {

// The users whose folders and files are trusted: this process's user and, as root under sudo, also
// the user who called sudo, as for git's safe.directory.
struct Owners {
  uid_t self = 0;
  std::optional<uid_t> caller;  // the user who called sudo
  bool include(uid_t user) const { return user == self || (self == 0 && user == caller); }
};
// `sudo_uid` is $SUDO_UID; "" or anything but a number means no caller.
Owners owners_of(uid_t self, const std::string& sudo_uid);

// Whether `user` alone is in the group: their own group, which has their name and no other member
// (user private groups, where a umask of 002 is usual). A group that cannot be looked up is not
// private.
bool is_private_group(gid_t group, uid_t user);

}  // namespace orch::base
