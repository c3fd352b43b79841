#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace orch::store {

// Creates what is missing of an absolute path, mode 0700, and adds each new folder to *created,
// outermost first.
base::Status create_folders(const std::string& path, std::vector<std::string>& created);

// Removes folders that are empty, innermost (last) first.
void remove_folders(const std::vector<std::string>& created);

}  // namespace orch::store
