#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/tree.h"

namespace orch::repo {

// Where the bytes of a file are.
enum class Kept : uint8_t {
  kNowhere,   // it has none: folders, links, pipes
  kArchived,  // in an archive, from `offset` on
  kLinked,    // a hard link of the file: objects/<offset>
  kLeftOut,   // it was not kept; of a folder: what is in it could not be looked at
};

struct KeptEntry {
  TreeEntry entry;
  Kept kept = Kept::kNowhere;
  uint32_t archive = 0;  // of the manifest's
  int64_t offset = 0;
  // Of the archived bytes (checksum.h). Absent: linked, or kept by an orch that had none.
  std::optional<uint64_t> checksum;
};

// One tree of a snapshot: the work directory or, where it lies elsewhere, a directory of git's.
struct RootSpec {
  std::string path;
  // Others use it, too (other worktrees; a repository of which this is no part): what is gone comes
  // back, what changed there is not changed back unasked.
  bool shared = false;
  bool operator==(const RootSpec&) const = default;
};
struct KeptRoot {
  RootSpec spec;
  mode_t mode = 0700;              // of the root itself, as is
  uint64_t inode = 0;              // 0: not known
  std::vector<KeptEntry> entries;  // a folder before what is in it
};

// What a snapshot's folder says of itself, in its file `manifest`. The file is written last: a
// folder without it is no snapshot.
struct Manifest {
  std::string work_dir;
  int64_t taken_ns = 0;  // before the first file was read
  std::vector<std::string> archives;
  std::vector<KeptRoot> roots;  // the work directory first
};

// What is longer is not read.
inline constexpr size_t kMaxManifestBytes = size_t{1} << 30;

std::string to_text(const Manifest& manifest);
// Total: every path is checked to stay below its root, every reference to exist. What an earlier
// orch wrote is read; it had no checksums.
base::Result<Manifest> manifest_from_text(std::string_view text);

// Waits for nothing, whatever stands in the place of the manifest or of an archive.
base::Result<Manifest> read_manifest(const std::string& snapshot_folder);

}  // namespace orch::repo
