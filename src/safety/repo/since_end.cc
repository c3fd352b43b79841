#include "repo/since_end.h"

#include <algorithm>
#include <array>

#include "repo/git_places.h"
#include "repo/likeness.h"

namespace orch::repo {

SinceEnd::SinceEnd(const KeptRoot& then, const KeptBytes& bytes, store::FolderCache& folders)
    : then_(then), bytes_(bytes), folders_(folders) {
  for (const KeptEntry& kept : then.entries) entries_.emplace(kept.entry.path, &kept);
}

const KeptEntry* SinceEnd::find(std::string_view path) const {
  const auto found = entries_.find(path);
  return found == entries_.end() ? nullptr : found->second;
}

bool SinceEnd::is_unknown(std::string_view path) const {
  for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at)) {
    const KeptEntry* folder = find(at);
    if (folder != nullptr && folder->kept == Kept::kLeftOut) return true;
  }
  return false;
}

std::string SinceEnd::why_changed(const std::string& path, const TreeEntry* now,
                                  bool is_opened) const {
  const auto if_so = [](bool changed) { return std::string(changed ? kChangedSince : ""); };
  const KeptEntry* then = find(path);
  if (then == nullptr) return if_so(now != nullptr && !is_unknown(path));
  if (now == nullptr) return std::string(kRemovedSince);
  const Node &before = then->entry.node, &present = now->node;
  if (before.kind != present.kind || before.mode != present.mode) return if_so(true);
  if (present.kind == EntryKind::kLink) return if_so(then->entry.target != now->target);
  if (present.kind != EntryKind::kFile) return "";
  Likeness likeness(folders_, bytes_);
  if (then->kept != Kept::kLeftOut) {
    const Likeness::Answer content = likeness.content(*then, present);
    if (!likeness.trouble().empty()) return "perhaps " + if_so(true) + ": " + likeness.trouble();
    if (content != Likeness::Answer::kClosed) return if_so(content == Likeness::Answer::kOther);
  }
  // Opening a file up moves its time of change on.
  const bool same = before.size == present.size && before.mtime_ns == present.mtime_ns &&
                    before.inode == present.inode;
  return if_so(!same || (!is_opened && before.ctime_ns != present.ctime_ns));
}

bool is_position(std::string_view below_git) {
  constexpr std::array<std::string_view, 10> kOther = {
      "objects", "hooks",           "info",        "modules", "worktrees", "lfs",
      "config",  "config.worktree", "description", "branches"};
  return std::none_of(kOther.begin(), kOther.end(),
                      [&](std::string_view other) { return is_within(below_git, other); });
}

bool moves_on(std::string_view below_git) {
  constexpr std::array<std::string_view, 7> kQuiet = {
      "refs/remotes", "logs/refs/remotes", "FETCH_HEAD", "COMMIT_EDITMSG", "ORIG_HEAD", "gc.log",
      "gc.pid"};
  return is_position(below_git) && !below_git.ends_with(".lock") &&
         std::none_of(kQuiet.begin(), kQuiet.end(),
                      [&](std::string_view quiet) { return is_within(below_git, quiet); });
}

}  // namespace orch::repo
