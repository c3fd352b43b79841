#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Blocking file access; every Error names the path.

// Opens for writing with mode 0600, close-on-exec; flags are added to O_WRONLY | O_CREAT.
base::Result<base::Fd> open_for_writing(const std::string& path, int flags);

// Writes all of bytes; *written is how many of them the file took, also on failure.
base::Status write_all(const base::Fd& file, const std::string& path, std::string_view bytes,
                       size_t* written = nullptr);

// Tells what the system has kept back until now: a network's file systems write at the close.
base::Status close_file(base::Fd file, const std::string& path);

// Shortens the file to size bytes, to undo a partial write. Best effort: the write's error is the
// news.
void cut_file(const base::Fd& file, int64_t size);

// Opens a regular file for reading, and nothing else: whoever opens a pipe waits for its other end.
base::Result<base::Fd> open_regular_file(const std::string& path);

// The whole file, or an error when it holds more than max_bytes. Works on pipes too.
base::Result<std::string> read_file(const std::string& path, size_t max_bytes);
// The same of a regular file alone.
base::Result<std::string> read_regular_file(const std::string& path, size_t max_bytes);
// What is left of an open file; `path` is its name in errors.
base::Result<std::string> read_open_file(const base::Fd& file, const std::string& path,
                                         size_t max_bytes);

}  // namespace orch::store
