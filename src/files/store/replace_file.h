#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Whether the new file and its folder's entry are on the disk on return. A loss of power before
// then leaves the old file or the new one.
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
// No link is followed, and no other name of an old file is written through. On failure the old
// entry is untouched and the temporary file removed. `path` is the file's name in errors. The
// folder may be an O_PATH descriptor unless it has to be synced.
base::Status replace_file(
    const base::Fd& folder, const std::string& name, const std::string& path, const NewFile& file,
    const std::function<base::Status(const base::Fd& file, const std::string& path)>& fill);

// Gives a complete, open file in the folder its final name. As `sync` says, its data is synced
// first, and its folder afterwards.
base::Status move_into_place(const base::Fd& folder, base::Fd file, const std::string& temporary,
                             const std::string& name, const std::string& path, Sync sync);

// Waits until the folder's entries are on the disk, if its file system can sync them.
base::Status sync_folder(const base::Fd& folder, const std::string& path);

// Opens the folder of a path, for a sync if its mode permits that.
base::Fd open_folder_of(const std::string& path);  // empty, with errno, on failure
std::string last_name(const std::string& path);

}  // namespace orch::store
