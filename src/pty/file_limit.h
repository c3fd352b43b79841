#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <optional>

namespace orch::pty {

// Raises this process's soft limit of open files to the hard one. Children do not inherit that: a
// program that uses select(2) fails with descriptors above 1023.
void raise_file_limit();

// The limit before it was raised, for children; nullopt if it was not raised.
std::optional<rlimit> original_file_limit();

// How many more files this process could open now, at most `most`.
size_t free_descriptors(size_t most);

}  // namespace orch::pty
