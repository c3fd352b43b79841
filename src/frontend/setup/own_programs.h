#pragma once

#include <string>

#include "base/result.h"
#include "fence/grant.h"

namespace orch::setup {

// From now on, orch starts no helper program that lies in a folder where agents write: the
// repository around the working directory, or a folder where an agent has worked, which the state
// directory remembers.
void guard_own_programs();
// Adds a folder that an agent is going to work in.
void distrust_folder(const std::string& folder);

// The places that no fence may grant, by orch's own environment.
fence::Guarded guarded_here(const std::string& state_dir);

// Resolves the symbolic links in a path that the user named. Each link is read once, so the result
// is final: code that uses it opens it without following links. An error if a link lies in a folder
// where agents write and leads out of it, because an agent may have put it there.
base::Result<std::string> named_place(const std::string& path);

// The same for a path that need not exist yet.
base::Result<std::string> place_to_be(const std::string& path);

// The same for a place that is to be written to. It follows no link that anybody but the user may
// have made (store/named_place.h).
base::Result<std::string> place_for_output(const std::string& path);

// The same check without the result: an error if a link on the way to `path`, which need not exist
// yet, lies in a folder where agents write and leads out of it.
base::Status check_links(const std::string& path);

}  // namespace orch::setup
