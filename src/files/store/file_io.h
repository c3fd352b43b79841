#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Blocking file access; every Error names the path.

// Opens a file for writing, with mode 0600 and close-on-exec; flags are added to O_WRONLY |
// O_CREAT.
base::Result<base::Fd> open_for_writing(const std::string& path, int flags);

// Writes all bytes; *written is the number of bytes that the file has taken, also on failure.
base::Status write_all(const base::Fd& file, const std::string& path, std::string_view bytes,
                       size_t* written = nullptr);

// Closes the file and reports errors that the system has kept back: network file systems may write
// only now.
base::Status close_file(base::Fd file, const std::string& path);

// Cuts the file to `size` bytes, to undo a partial write. Ignores a failure: the failure of the
// write matters more.
void cut_file(const base::Fd& file, int64_t size);

// Whether a symbolic link is followed. It is not in places where somebody else could replace a file
// by a link.
enum class Links { kFollowed, kRefused };

// Opens a regular file for reading; anything else is an error, because opening a pipe may block.
base::Result<base::Fd> open_regular_file(const std::string& path, Links links = Links::kFollowed);

// Reads a whole file, or a pipe; an error if it has more than max_bytes.
base::Result<std::string> read_file(const std::string& path, size_t max_bytes);
// The same for a regular file only.
base::Result<std::string> read_regular_file(const std::string& path, size_t max_bytes,
                                            Links links = Links::kFollowed);
// Reads the rest of an open file; `path` is its name in errors.
base::Result<std::string> read_open_file(const base::Fd& file, const std::string& path,
                                         size_t max_bytes);

}  // namespace orch::store
