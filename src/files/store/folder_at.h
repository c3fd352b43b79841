#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Opens folders without following a symbolic link anywhere in the path, so that a link that an
// agent has put in place of a folder leads nowhere. errno says why an empty Fd was returned.
base::Fd open_root(const std::string& absolute);
// "" opens the root again. The path may be longer than PATH_MAX.
base::Fd open_below(const base::Fd& root, std::string_view relative);

// The names in an open folder, sorted, without "." and "..".
base::Result<std::vector<std::string>> names_in(const base::Fd& folder);

// Sets the permission bits of a folder, or of anything else but a link, whatever they were before.
// False, with errno, if that is refused.
bool set_mode(const base::Fd& folder, const std::string& name, unsigned mode);

// Removes the name and, if it is a folder, everything in it, however deep. Mounted file systems in
// it stay. Goes on after a failure; the first one is returned.
base::Status remove_tree(const base::Fd& folder, const std::string& name);

// Opens folders below a root and keeps the last one open, because neighbours in a tree mostly share
// it or lie below it. Some folders along a long path stay open, so that the next one is not far.
class FolderCache {
 public:
  explicit FolderCache(base::Fd root) : root_(std::move(root)) {}
  const base::Fd& open(std::string_view relative);  // empty, with errno, on failure
  const base::Fd& root() const { return root_; }
  void forget() { path_.clear(), fd_.reset(), on_the_way_.clear(); }

 private:
  struct OnTheWay {
    size_t length = 0;  // length of the folder's path, a prefix of path_
    base::Fd fd;
  };

  base::Fd root_, fd_;
  std::string path_;
  std::vector<OnTheWay> on_the_way_;  // folders that stay open, outermost first
};

}  // namespace orch::store
