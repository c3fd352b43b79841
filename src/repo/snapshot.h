#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/manifest.h"

namespace orch::repo {

struct SnapshotLimits {
  int64_t entries = 300'000;                    // of a tree; more is no snapshot
  int64_t git_bytes = int64_t{2} << 30;         // git's own files and those it tracks
  int64_t copied_objects = int64_t{256} << 20;  // git's objects; beyond they are hard-linked
  int64_t file_bytes = int64_t{64} << 20;       // one file that git does not track
  int64_t other_bytes = int64_t{512} << 20;     // all files that git does not track
};

// A file that was changed so shortly before an earlier snapshot may have been changed again within
// the same tick of the file system's clock: it is read anew.
inline constexpr int64_t kSettledNs = 2'000'000'000;

// A snapshot of a work directory, so that what a run destroys can be brought back: every file that
// git tracks or not, links, modes, empty folders, and git's own directory wherever it lies. It
// reads files and runs nothing, git neither: a repository's configuration names programs.
struct SnapshotPlan {
  std::string work_dir;  // absolute, without links
  std::string folder;    // made by this, mode 0700; outside of the work directory
  // An earlier snapshot's folder, or "". What has not changed since is not copied again but shared
  // with it by hard links: either may be removed.
  std::string previous;
  SnapshotLimits limits;
  int64_t settled_ns = kSettledNs;
  std::vector<RootSpec> roots;  // empty: find_roots
  // Of what find_roots finds beside the work directory, these alone; absent: all.
  std::optional<std::vector<std::string>> git_folders;
  // Absolute paths, none of which is read, nor what is in them: agents may read a snapshot.
  std::vector<std::string> closed;
  // Absolute paths that are kept whatever the limits say, folders with all that is in them.
  std::vector<std::string> needed;
  // The modes of what was opened up to be read: these are kept in place of those that it has now.
  std::map<std::string, mode_t> modes;
};

struct SnapshotReport {
  int64_t files = 0;                // kept
  int64_t bytes = 0;                // of them
  int64_t written_bytes = 0;        // what the snapshot added to the disk
  std::vector<std::string> notes;   // what was not kept, and why; a line each, as for printable()
  std::vector<std::string> missed;  // paths of what is needed and was not kept
};

// kUsage when a snapshot in `folder`, which need not be there yet, would lie in the work directory
// or in a git directory of its, by whatever path.
base::Status check_snapshot_place(const std::string& work_dir, const std::string& folder);

// On failure no folder is left behind. Blocking.
base::Result<SnapshotReport> take_snapshot(const SnapshotPlan& plan);

// Whether a snapshot can be read: its manifest, and archives as long as that needs them. Their
// bytes are not looked at.
base::Status check_snapshot(const std::string& folder);

base::Status remove_snapshot(const std::string& folder);

}  // namespace orch::repo
