#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::store {

// Creates what is missing of an absolute path, mode 0700, and adds each new folder to *created,
// outermost first.
base::Status create_folders(const std::string& path, std::vector<std::string>& created);

// Removes folders that are empty, innermost (last) first.
void remove_folders(const std::vector<std::string>& created);

// Whether a folder is for this user alone, as far as it is there at all.
enum class Privacy : uint8_t {
  kPrivate,
  kMissing,
  kReadable,  // others may look into it
  kWritable,  // others may put in, or away, what they like
};
// An error when the folder is another user's.
base::Result<Privacy> privacy_of(const std::string& folder);
base::Status make_private(const std::string& folder);  // mode 0700

}  // namespace orch::store
