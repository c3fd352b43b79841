#include "repo/likeness.h"

#include <fcntl.h>

#include <cerrno>

namespace orch::repo {

Likeness::Answer Likeness::content(const KeptEntry& kept, const Node& now) {
  const Node& then = kept.entry.node;
  if (now.size != then.size) return Answer::kOther;
  if (now.inode == then.inode && now.mtime_ns == then.mtime_ns && now.ctime_ns == then.ctime_ns) {
    return Answer::kSame;
  }
  const base::Fd& folder = folders_.open(parent_of(kept.entry.path));
  const std::string name(name_of(kept.entry.path));
  const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const base::Fd file(folder.valid() ? ::openat(folder.get(), name.c_str(), flags) : -1);
  if (!file.valid()) return errno == EACCES ? Answer::kClosed : Answer::kOther;
  const base::Result<bool> equal = bytes_.equals(kept, file);
  if (!equal) trouble_ = equal.error().text;
  return equal && *equal ? Answer::kSame : Answer::kOther;
}

bool Likeness::is_same(const KeptEntry& kept, const TreeEntry& entry) {
  if (kept.entry.node.kind != entry.node.kind) return false;
  switch (entry.node.kind) {
    case EntryKind::kFile:
      return kept.kept != Kept::kLeftOut && content(kept, entry.node) == Answer::kSame;
    case EntryKind::kLink:
      return kept.entry.target == entry.target;
    case EntryKind::kFolder:
    case EntryKind::kPipe:
      return true;
    case EntryKind::kOther:
      break;
  }
  return false;
}

}  // namespace orch::repo
