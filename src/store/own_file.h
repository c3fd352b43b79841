#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "store/repository_file.h"

namespace orch::store {

// The whole of a file of the user's own configuration, which is obeyed: nobody else may have
// written it. A usage error, which names the path and the remedy: it, or the folder that it is in,
// belongs to nobody of `owners` or can be written by others (its owner's private group is none); it
// is no regular file, or larger than max_bytes. A symbolic link is followed, and what it leads to
// is looked at. Never waits for a pipe.
base::Result<std::string> read_own_file(const std::string& path, const Owners& owners,
                                        size_t max_bytes);

}  // namespace orch::store
