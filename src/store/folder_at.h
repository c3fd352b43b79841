#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Folders are reached name by name, and a symbolic link in the way is never followed: what an agent
// planted in the place of a folder leads nowhere. errno says why an empty Fd was returned.
base::Fd open_root(const std::string& absolute);
// "" is the root again. The way may be longer than the kernel takes at once.
base::Fd open_below(const base::Fd& root, std::string_view relative);

// The names in an open folder, sorted, without "." and "..".
base::Result<std::vector<std::string>> names_in(const base::Fd& folder);

// Gives the owner of a folder, or of anything else that is no link, these permission bits, whatever
// they were before. False, with errno, when that is refused.
bool set_mode(const base::Fd& folder, const std::string& name, unsigned mode);

// Removes the name and, where it is a folder, all that is in it, however deep. What is mounted in
// there stays. Goes on after a failure; the first one is told.
base::Status remove_tree(const base::Fd& folder, const std::string& name);

// Keeps the last folder open: neighbours in a tree mostly share it, or lie below it. Of a long way
// some folders stay open, so that the way back up is short.
class FolderCache {
 public:
  explicit FolderCache(base::Fd root) : root_(std::move(root)) {}
  const base::Fd& open(std::string_view relative);  // empty, with errno, when it cannot be opened
  const base::Fd& root() const { return root_; }
  void forget() { path_.clear(), fd_.reset(), on_the_way_.clear(); }

 private:
  struct OnTheWay {
    size_t length = 0;  // its path is so much of path_
    base::Fd fd;
  };

  base::Fd root_, fd_;
  std::string path_;
  std::vector<OnTheWay> on_the_way_;  // outermost first
};

}  // namespace orch::store
