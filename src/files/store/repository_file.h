#pragma once

#include <cstddef>
#include <string>

#include "base/owners.h"
#include "base/result.h"

// Files of a repository are not trusted: its author has chosen their names, links and sizes.
namespace orch::store {

inline constexpr size_t kMaxRepositoryFileBytes = 1 << 20;

using base::Owners;
using base::owners_of;

// An error if the folder belongs to another user.
base::Status check_owner(const std::string& folder, const Owners& owners);

// Reads the file root/relative. It is a usage error, which names the path, if a symbolic link is on
// the way from the root, or if the file is not regular, another user's, or larger than max_bytes.
// kNotFound if it does not exist. Never blocks on a pipe or a device.
base::Result<std::string> read_inside(const std::string& root, const std::string& relative,
                                      const Owners& owners,
                                      size_t max_bytes = kMaxRepositoryFileBytes);

}  // namespace orch::store
