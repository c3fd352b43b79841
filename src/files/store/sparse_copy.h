#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Copies all bytes of a regular file, `from`, into an empty one, `to`; the paths are for errors.
// Holes and long rows of zeros become holes, so that the copy takes no more room than the data that
// was ever written.
base::Status copy_sparsely(const base::Fd& from, const std::string& from_path, const base::Fd& to,
                           const std::string& to_path);

}  // namespace orch::store
