#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// Replaces the file at path by bytes, whole or not at all: a temporary file in the same folder is
// written, synced and renamed over it. On failure the old file is untouched and the temporary
// removed. It waits for the disk, for seconds on one that is busy: never from a loop's thread.
base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0600);

// The same for what matters only as long as this machine runs, without waiting for the disk: whole
// or not at all for whoever looks, but after a loss of power it may be empty, old or gone.
base::Status write_file_unsynced(const std::string& path, std::string_view bytes,
                                 mode_t mode = 0600);

// What a person names as a place for output. What is absent or a regular file of our own becomes
// the bytes as by write_file(), with the mode that the old file had. All else (a device, a pipe,
// a link, a file of another owner or group) is opened and written to, and stays what it is.
base::Status write_output(const std::string& path, std::string_view bytes);

// Room on the disk for what is to be written to path later, however full it is by then: a file
// path + ".room" of so many bytes that the disk holds already. A failure leaves none.
base::Status keep_room(const std::string& path, size_t bytes);
// write_file() that falls back to the room that was kept for path. No room is left afterwards.
base::Status write_file_in_room(const std::string& path, std::string_view bytes,
                                mode_t mode = 0600);
void give_up_room(const std::string& path);

}  // namespace orch::store
