#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

// Output files named on the command line, in a folder where an agent may write at the same time. A
// link there, or one that another user may have made, is never followed (store/named_place.h),
// neither as the last name nor on the way; a link of the user's is. The result is then a usage
// error, one line that names the link.
namespace orch::store {

// Writes the file. A missing or a regular file is replaced, completely or not at all
// (store/replace_file.h): other names of an old file keep its content, and the new one has its mode
// and owner, or mode 0600. If that owner cannot be kept, the old file is overwritten unless it has
// another name. A device or a pipe is written to, but not one that an agent may have made.
// /dev/stdout and its kin go to the file that is open there in this process.
base::Status write_output(const std::string& path, std::string_view bytes);

// Opens the file to append to it, and makes it with mode 0600 if it is missing. Devices and pipes
// are treated as above; a file that has another name, in a folder where an agent may write, is
// refused.
base::Result<base::Fd> open_output(const std::string& path);

}  // namespace orch::store
