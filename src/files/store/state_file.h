#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/found.h"
#include "store/time_text.h"

// Reads orch's own state. Every answer distinguishes a missing file from one that cannot be read.
// Every Error names the path. tests/layers checks that the readers of state use nothing else.
namespace orch::store {

// Whether errno says that the path does not exist.
bool means_absent(int errno_value);

// Whether there is something, a dangling link included.
Presence presence_of(const std::string& path);
// Whether the system has said that the path does not exist.
bool is_absent(const std::string& path);

// Reads a whole regular file. Anything else, or a file of more than `most` bytes, is unknown with
// kUsage; a file that the system does not let us read is unknown with another code (is_refused).
Found<std::string> read_state(const std::string& path, size_t most);
// Whether the system has refused to read, so that the content may be whole.
bool is_refused(const base::Error& error);

// The names in a folder, sorted; empty if the folder does not exist.
base::Result<std::vector<std::string>> names_in_folder(const std::string& path);

// When the file or folder was changed last.
Found<TimePoint> time_of_change(const std::string& path);

}  // namespace orch::store
