#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::store {

// Creates the missing folders of an absolute path, with mode 0700, and adds each new one to
// `created`, outermost first.
base::Status create_folders(const std::string& path, std::vector<std::string>& created);

// Removes those of the folders that are empty, innermost (last) first.
void remove_folders(const std::vector<std::string>& created);

// Who may use a folder in addition to its user.
enum class Privacy : uint8_t {
  kPrivate,
  kMissing,
  kReadable,  // others may read it
  kWritable,  // others may add and remove entries
};
// An error if the folder belongs to another user, or cannot be looked at.
base::Result<Privacy> privacy_of(const std::string& folder);
base::Status make_private(const std::string& folder);  // mode 0700

}  // namespace orch::store
