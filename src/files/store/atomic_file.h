#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// Files of orch's own, in the state directory. For output files named by the user see
// store/output.h.

// Replaces the file at `path` by `bytes`, completely or not at all, and waits until it is on the
// disk (store/replace_file.h), which may take seconds: never call it in a loop's thread.
base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);

// The same for files that matter only while this machine runs. Does not wait for the disk: readers
// see the old file or the whole new one, but after a loss of power it may be empty, old or missing.
base::Status write_file_unsynced(const std::string& path, std::string_view bytes,
                                 mode_t mode = 0600);

// Reserves disk space for a later write to `path`, however full the disk is by then: a file path +
// ".room" of `bytes` bytes. A failure leaves no file.
base::Status keep_room(const std::string& path, size_t bytes);
// write_file() that uses the reserved space if it fails otherwise. The reservation is gone
// afterwards.
base::Status write_file_in_room(const std::string& path, std::string_view bytes,
                                mode_t mode = 0600);
void give_up_room(const std::string& path);

}  // namespace orch::store
