#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::store {

// Whether something has the path, or a folder. Its last name may be a link, which is not followed.
bool is_there(const std::string& path);
bool is_folder(const std::string& path);

// Creates the missing folders of an absolute path, with mode 0700. Adds each new one to `created`,
// outermost first.
base::Status create_folders(const std::string& path, std::vector<std::string>& created);
base::Status create_folders(const std::string& path);
base::Status create_folder_of(const std::string& file);  // the folder around it, and those above

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
