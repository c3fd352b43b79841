#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// Replaces the file at path by bytes, whole or not at all: a temporary file in the same folder is
// written, synced and renamed over it. On failure the old file is untouched and the temporary
// removed.
base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);

}  // namespace orch::store
