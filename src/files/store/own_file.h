#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "store/repository_file.h"

namespace orch::store {

// Reads a configuration file of the user's own. orch obeys it, so nobody else may have written it.
// It is a usage error, which names the path and the remedy, if the file or its folder belongs to
// none of `owners` or can be written by others (the owner's private group does not count), or if
// the file is not regular, has a second name, or is larger than max_bytes. A symbolic link is
// followed, and its target is checked. Never blocks on a pipe.
base::Result<std::string> read_own_file(const std::string& path, const Owners& owners,
                                        size_t max_bytes);

}  // namespace orch::store
