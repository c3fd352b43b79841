#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Whether the new file is on the disk when it is there under its name, with its folder's entry: a
// loss of power then leaves the old file or the new one, and after the return the new one.
enum class Sync : uint8_t {
  kDisk,  // waits for the disk, which may take seconds: never in a loop's thread
  kNone,
};

struct NewFile {
  mode_t mode = 0600;
  enum class Umask : uint8_t { kIgnored, kObeyed } umask = Umask::kIgnored;
  struct Owner {
    uid_t user = 0;
    gid_t group = 0;
  };
  std::optional<Owner> owner;  // absent: this process's
  Sync sync = Sync::kDisk;
};

// Replaces the entry `name` of the open folder, in one step, by a new regular file that `fill`
// writes: under a temporary name in the same folder, name + "." and six letters, then by rename(2).
// No link is followed, and no other name of an old file is written through. On failure what was
// there is untouched and the temporary file removed. `path` is the file's name in errors. The
// folder may be an O_PATH descriptor unless it has to be synced.
base::Status replace_file(
    const base::Fd& folder, const std::string& name, const std::string& path, const NewFile& file,
    const std::function<base::Status(const base::Fd& file, const std::string& path)>& fill);

// Gives an open file in the folder, which is complete, the final name: its data is synced first,
// its folder afterwards, as `sync` says.
base::Status move_into_place(const base::Fd& folder, base::Fd file, const std::string& temporary,
                             const std::string& name, const std::string& path, Sync sync);

// Waits until the folder's entries are on the disk, as far as its file system can.
base::Status sync_folder(const base::Fd& folder, const std::string& path);

// Opens the folder that a path is in, to be synced if its mode permits it.
base::Fd open_folder_of(const std::string& path);  // empty, with errno, on failure
std::string last_name(const std::string& path);

}  // namespace orch::store
