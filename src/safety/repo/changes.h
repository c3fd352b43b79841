#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/archive.h"
#include "repo/manifest.h"
#include "repo/tree.h"
#include "store/run_checks.h"

namespace orch::repo {

// "2049:131", the device and inode of a descriptor's regular file; "" for any other descriptor.
std::string file_identity(int fd);
std::optional<FileIdentity> file_identity_from(std::string_view text);

struct ChangesWanted {
  std::string work_dir;  // absolute, without links
  std::string snapshot;  // the folder of the snapshot of the work directory
  std::string head;      // the commit that was checked out then; "" if none
  // Files of orch's own, such as the one that its standard output goes to: they are not the agent's
  // work.
  std::vector<FileIdentity> own_files;
};

// Finds the changes in a work directory since the snapshot was taken: files and links that are new
// or gone, or that differ in content, kind or being executable; but nothing in git's own folders,
// and no files that git ignores. Files that git tracked then or tracks now are never ignored. In a
// submodule its own rules apply, and a submodule with another commit checked out is a change. Files
// are ignored by git's info/exclude as it was in the snapshot, by the user's own rules, and by the
// .gitignore files as they are now: a change to one of these is a change itself. The repository's
// configuration is not read. Without git nothing is ignored. Blocking.
store::FoundChanges find_changes(const ChangesWanted& wanted);

// All paths that find_changes() would count, relative to the work directory and sorted; they may be
// any bytes. `manifest` and `bytes` are those of the snapshot. If `later`, a later snapshot of the
// same directory, is given, it is compared instead of the directory. Files of it may then be named
// although they have the same content; git's rules are as they are now.
base::Result<std::vector<std::string>> changed_paths(const ChangesWanted& wanted,
                                                     const Manifest& manifest,
                                                     const KeptBytes& bytes,
                                                     const Manifest* later = nullptr);

// The path, in its repository, of the folder that a snapshot was taken of; "" if it is the
// repository's top folder, or in none.
std::string path_in_repository(const Manifest& manifest);

// Whether a file or link of two snapshots may differ in kind, target, content or being executable;
// nullptr: it is not in that snapshot.
bool may_differ(const KeptEntry* one, const KeptEntry* other);

}  // namespace orch::repo
