#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <optional>

namespace orch::pty {

// Raises the soft limit of this process's open files to the hard one. Children do not get it: a
// program that uses select(2) breaks with descriptors above 1023.
void raise_file_limit();

// What the limit was before, for children; nothing when it was not raised.
std::optional<rlimit> original_file_limit();

// How many more files this process could open now; no more than `most` are tried.
size_t free_descriptors(size_t most);

}  // namespace orch::pty
