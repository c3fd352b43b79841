#pragma once

#include <string>

#include "base/result.h"

namespace orch::cli {

// From now on orch starts no program of its own that lies where agents write: in the repository
// around the working directory, or where an agent worked before, as the state folder remembers.
void guard_own_programs();
// ... in this state folder, in place of the environment's.
void remember_by(const std::string& state_dir);
// ... and in this folder, where an agent is to work.
void distrust_folder(const std::string& folder);

// An error where a link on the way to `path`, which need not be there yet, lies in such a folder
// and leads out of it: an agent may have put it there, whoever named the path.
base::Status check_links(const std::string& path);

}  // namespace orch::cli
