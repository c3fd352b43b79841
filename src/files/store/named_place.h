#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// How much of a path may be missing.
enum class Missing : uint8_t {
  kError,
  kLast,  // the last name may be missing, but not the folder it is in
  kRest,  // from the first missing name on the path is taken as it is written
};

// Which links on the way are followed. Links of the user and of the system always are.
enum class AgentsLinks : uint8_t {
  kInside,   // for reading: links where agents write, if they stay in that folder
  kRefused,  // for writing: no link that an agent or another user may have made
};

// A file or folder named on the command line, with the links on the way resolved, each read once.
// Opening `name` in `folder` without following a link opens the file that was checked.
struct NamedPlace {
  std::string path;    // absolute, without links
  base::Fd folder;     // O_PATH, the containing folder; empty if that is missing
  std::string name;    // in that folder; "" for the folder itself ("/", "x/..")
  base::Fd open_file;  // of /dev/stdout, /proc/self/fd/3: the file that is open in this process
};

// Walks along the path, name by name, with a descriptor of each folder. A link that must not be
// followed is a usage error with the link and the remedy; a missing file or folder is kNotFound.
base::Result<NamedPlace> find_named_place(const std::string& path, Missing missing,
                                          AgentsLinks links);

}  // namespace orch::store
