#pragma once

#include <string>

#include "repo/archive.h"
#include "repo/manifest.h"

namespace orch::repo {

// The git command that moves the branch of a snapshot's work directory, and its index, back to the
// snapshot's commit, and leaves the files alone; the commits that are there now stay in the reflog.
// "" if the commit and the branch are the same as then, or not known. Reads files only.
std::string way_back(const Manifest& manifest, const KeptBytes& bytes);

}  // namespace orch::repo
