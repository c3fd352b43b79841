#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "repo/manifest.h"

namespace orch::repo {

struct SnapshotLimits {
  int64_t entries = 300'000;             // entries of one tree; with more, no snapshot is taken
  int64_t git_bytes = int64_t{2} << 30;  // git's own files and the files that it tracks
  int64_t copied_objects = int64_t{256} << 20;  // git's objects; the others are hard-linked
  int64_t file_bytes = int64_t{64} << 20;       // size of one file that git does not track
  int64_t other_bytes = int64_t{512} << 20;     // all files that git does not track
  int64_t most_ms = 0;                          // the time limit of a snapshot; 0: none
};

// A file that was changed this short a time before an earlier snapshot is read again: it may have
// been changed once more within the same tick of the file system's clock.
inline constexpr int64_t kSettledNs = 2'000'000'000;

// A snapshot of a work directory, so that files that a run destroys can be brought back: all files,
// whether git tracks them or not, links, modes, empty folders, and git's own directory wherever it
// is. It only reads files and runs no program, not even git, because a repository's configuration
// names programs.
struct SnapshotPlan {
  // A snapshot that is only compared with, and not brought back, does without git's objects. So it
  // shares no file with the work directory.
  enum class Objects : uint8_t { kKept, kLeftOut };

  std::string work_dir;  // absolute, without links
  std::string folder;    // created with mode 0700; outside of the work directory
  // The folder of an earlier snapshot, or "". Files that have not changed since are not copied
  // again; the archives are shared by hard links, so either snapshot may be removed.
  std::string previous;
  SnapshotLimits limits;
  Objects objects = Objects::kKept;
  int64_t settled_ns = kSettledNs;
  std::vector<RootSpec> roots;  // empty: find_roots
  // Of the git directories that find_roots() finds, only these are used; absent: all.
  std::optional<std::vector<std::string>> git_folders;
  // Absolute paths of files and folders that are not read, including their content: agents may read
  // a snapshot.
  std::vector<std::string> closed;
  // Absolute paths that are kept whatever the limits are, folders with their whole content.
  std::vector<std::string> needed;
  // The original modes of files that were opened up for reading; the snapshot records these instead
  // of the present ones.
  std::map<std::string, mode_t> modes;
};

struct SnapshotReport {
  int64_t files = 0;                // files that were kept
  int64_t bytes = 0;                // bytes of these files
  int64_t written_bytes = 0;        // bytes that the snapshot has added to the disk
  std::vector<std::string> notes;   // printable lines: files that were not kept, and why
  std::vector<std::string> missed;  // needed paths that could not be kept
};

// kUsage if a snapshot in `folder`, which need not exist, would be in the work directory or in one
// of its git directories, by whatever path.
base::Status check_snapshot_place(const std::string& work_dir, const std::string& folder);

// After a failure the folder is gone. Blocking.
base::Result<SnapshotReport> take_snapshot(const SnapshotPlan& plan);

// Whether a snapshot can be read: its manifest is fine, and its archives are long enough. Does not
// read the archives.
base::Status check_snapshot(const std::string& folder);

base::Status remove_snapshot(const std::string& folder);

}  // namespace orch::repo
