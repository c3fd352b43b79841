#pragma once

#include <string>

#include "base/result.h"
#include "fence/grant.h"

namespace orch::setup {

// From now on orch starts no program of its own that lies where agents write: in the repository
// around the working directory, or where an agent worked before, as the state folder remembers.
void guard_own_programs();
// ... in this state folder, in place of the environment's.
void remember_by(const std::string& state_dir);
// ... and in this folder, where an agent is to work.
void distrust_folder(const std::string& folder);

// What is granted to nobody, by orch's own environment.
fence::Guarded guarded_here(const std::string& state_dir);

// A person's path without links, each of which is read once: what it leads to is decided here, and
// whoever uses it later opens it through none. An error where one of them lies in a folder where
// agents write and leads out of it: an agent may have put it there, whoever named the path.
base::Result<std::string> named_place(const std::string& path);

// The same for a path that need not be there yet.
base::Result<std::string> place_to_be(const std::string& path);

// An error where a link on the way to `path`, which need not be there yet, lies in such a folder
// and leads out of it: an agent may have put it there, whoever named the path.
base::Status check_links(const std::string& path);

}  // namespace orch::setup
