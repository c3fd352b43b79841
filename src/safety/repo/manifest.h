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

// The place of a file's content in a snapshot.
enum class Kept : uint8_t {
  kNowhere,   // without content: folders, links, pipes
  kArchived,  // in an archive, at `offset`
  kLinked,    // a hard link of the file: objects/<offset>
  kLeftOut,   // it was not kept; for a folder: its content could not be read
};

struct KeptEntry {
  TreeEntry entry;
  Kept kept = Kept::kNowhere;
  uint32_t archive = 0;  // index into the manifest's archives
  int64_t offset = 0;
  // The checksum of the archived bytes (checksum.h). Absent: linked, or written by a version of
  // orch without checksums.
  std::optional<uint64_t> checksum;
};

// One tree of a snapshot: the work directory, or a git directory if that is elsewhere.
struct RootSpec {
  std::string path;
  // Others use it, too (other worktrees, or a repository that this folder does not belong to): an
  // undo restores missing files, but changes nothing back unless asked to.
  bool shared = false;
  bool operator==(const RootSpec&) const = default;
};
struct KeptRoot {
  RootSpec spec;
  mode_t mode = 0700;              // of the root folder itself
  uint64_t inode = 0;              // 0: not known
  std::vector<KeptEntry> entries;  // a folder comes before its content
};

// The content of a snapshot's file `manifest`. It is written last, so a folder without it is not a
// snapshot.
struct Manifest {
  std::string work_dir;
  int64_t taken_ns = 0;  // before the first file was read; nanoseconds since 1970
  std::vector<std::string> archives;
  std::vector<KeptRoot> roots;  // the work directory first
};

// A longer manifest is not read.
inline constexpr size_t kMaxManifestBytes = size_t{1} << 30;

std::string to_text(const Manifest& manifest);
// Accepts any bytes: checks that every path stays below its root and that every archive exists.
// Also reads the format of earlier versions of orch, which had no checksums.
base::Result<Manifest> manifest_from_text(std::string_view text);

// Never blocks, whatever file is in place of the manifest or of an archive.
base::Result<Manifest> read_manifest(const std::string& snapshot_folder);

}  // namespace orch::repo
