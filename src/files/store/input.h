#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Opens a file that the user has named, for reading. A pipe or a device of the user's own is fine,
// such as /dev/stdin or a shell's <(...), and may wait for its writer; one where others than the
// user may write is a usage error. So is a link of an agent's that leads out of its folder. Errors
// name the path; those of the system begin with "read".
base::Result<base::Fd> open_input(const std::string& path);

}  // namespace orch::store
