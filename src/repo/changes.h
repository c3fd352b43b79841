#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/tree.h"
#include "store/run_checks.h"

namespace orch::repo {

// "2049:131", of the regular file that a descriptor is open on; "" where it is on none.
std::string file_identity(int fd);
std::optional<FileIdentity> file_identity_from(std::string_view text);

struct ChangesWanted {
  std::string work_dir;  // absolute, without links
  std::string snapshot;  // its folder: of the work directory as it was
  std::string head;      // the commit that was checked out then; ""
  // What is written there is no work of the agent's: the file that orch's standard output is.
  std::vector<FileIdentity> own_files;
};

// What of a work directory is not as it was when the snapshot was taken: files and links that are
// new, gone or other, in content, kind or by being executable, but none that git ignores and
// nothing of git's own. What git tracked then or tracks now is never ignored; in a submodule its
// own rules hold, and one in which another commit is checked out is a change. Whether a file is
// ignored is decided by the rules of the snapshot's time in git's own folder, of the user's and of
// the files .gitignore as they are now: one that was changed is a change itself. git's
// configuration in the repository is not read. Without git's folder nothing is ignored. Blocking.
store::FoundChanges find_changes(const ChangesWanted& wanted);

}  // namespace orch::repo
