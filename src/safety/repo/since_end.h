#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "repo/archive.h"
#include "repo/manifest.h"
#include "store/folder_at.h"

namespace orch::repo {

// The reasons in an undo's listing why something stays.
inline constexpr std::string_view kChangedSince = "changed since the run's end";
inline constexpr std::string_view kRemovedSince = "removed since the run's end";
inline constexpr std::string_view kGitMovedOn = "git has moved on since the run's end";

// One root as it was at the end of a run, to be compared with the present state, which belongs to
// the user. Everything given outlives this.
class SinceEnd {
 public:
  SinceEnd(const KeptRoot& then, const KeptBytes& bytes, store::FolderCache& folders);

  // Why a path counts as changed since: kRemovedSince, or kChangedSince, with the reason if its
  // content of then cannot be read; "" if it has not changed. `now` is its present entry, with the
  // mode that it had before an undo opened it up (`is_opened`), or nullptr if it is gone. Unknown
  // content, in a folder that could not be looked into, has not changed.
  std::string why_changed(const std::string& path, const TreeEntry* now, bool is_opened) const;
  bool has_changed(const std::string& path, const TreeEntry* now, bool is_opened) const {
    return !why_changed(path, now, is_opened).empty();
  }

  // The entry at the run's end; nullptr if there was none.
  const KeptEntry* find(std::string_view path) const;
  const KeptRoot& root() const { return then_; }
  const KeptBytes& bytes() const { return bytes_; }

 private:
  bool is_unknown(std::string_view path) const;

  const KeptRoot& then_;
  const KeptBytes& bytes_;
  store::FolderCache& folders_;
  std::unordered_map<std::string_view, const KeptEntry*> entries_;
};

// Whether the path, relative to a git directory, belongs to the position of its branches: HEAD,
// references, logs, the index, unfinished commands. These are left or changed as one.
bool is_position(std::string_view below_git);
// Whether a change there means that somebody has moved on: not one of remote branches, which are
// fetched in the background, and not one of files that git only leaves behind.
bool moves_on(std::string_view below_git);

}  // namespace orch::repo
