#pragma once

#include <cstdint>
#include <string>

#include "repo/archive.h"
#include "repo/manifest.h"
#include "repo/tree.h"
#include "store/folder_at.h"

namespace orch::repo {

// Whether the content that was kept for a path is still there; modes are not compared. What is
// given outlives this.
class Likeness {
 public:
  enum class Answer : uint8_t { kSame, kOther, kClosed };

  Likeness(store::FolderCache& folders, const KeptBytes& bytes)
      : folders_(folders), bytes_(bytes) {}

  // For files only; `now` is the present file at the same path below the root of `folders`.
  Answer content(const KeptEntry& kept, const Node& now);

  // Why the content was not compared to its end, so that it counts as another one: the snapshot
  // cannot be read. "" if it was.
  const std::string& trouble() const { return trouble_; }

  bool is_same(const KeptEntry& kept, const TreeEntry& entry);

 private:
  store::FolderCache& folders_;
  const KeptBytes& bytes_;
  std::string trouble_;
};

}  // namespace orch::repo
