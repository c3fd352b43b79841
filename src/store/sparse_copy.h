#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Copies all bytes of a regular file, `from`, into an empty one, `to`; the paths are for errors.
// Holes stay holes, and so do long rows of zeros, so that the copy takes no more room than what was
// ever written.
base::Status copy_sparsely(const base::Fd& from, const std::string& from_path, const base::Fd& to,
                           const std::string& to_path);

}  // namespace orch::store
