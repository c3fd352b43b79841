#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/archive.h"
#include "repo/manifest.h"

namespace orch::repo {

// The action of an undo for one path.
enum class Act : uint8_t {
  kRestore,     // it is gone, and is brought back
  kChangeBack,  // its content, mode, kind or target has changed
  kRemove,      // state that git has left since: a rebase, a lock
  kLeave,       // it is new: it is reported and stays
  kCannot,      // it cannot be brought back
  kUnseen,      // a folder that we cannot look into before it is opened up
};
std::string_view name(Act act);

struct Change {
  Act act = Act::kLeave;
  size_t root = 0;
  std::string path;  // relative to the root; "" is the root itself
  std::string why;   // "content", "mode 0644, was 0755"; "" if `act` says it all
  // Index into the root's entries; for kRestore and kChangeBack, unless `path` is "".
  size_t entry = 0;
  bool mode_only = false;
  bool closed = false;  // we may not read it, so its content counts as changed
};

struct UndoScope {
  std::vector<std::string> only;  // absolute paths; empty: everything
  bool shared = false;            // also change files that other worktrees use
  bool later = false;             // also change files that changed after the run's end
  // Without a snapshot of the run's end: whether git's branches, index and logs come back, or are
  // left as one if a branch has moved since the run's begin.
  enum class Position : uint8_t { kBroughtBack, kLeftIfMoved };
  Position position = Position::kBroughtBack;
};

// Facts about the present state that the disk does not show.
struct KnownPresent {
  // The original modes of files and folders that were opened up, by absolute path.
  std::map<std::string, mode_t> modes;
  // The snapshot that was brought back last, with its bytes, or nullptr. Files that came back with
  // it and are not in the other snapshot are removed again, unless somebody has worked on them
  // since.
  const Manifest* brought_back = nullptr;
  const KeptBytes* its_bytes = nullptr;
  // The snapshot of the run's end, with its bytes, or nullptr if there is none. Files that have
  // changed since are left, unless the scope says otherwise. git's branches, index and logs are
  // left as one if any of them has moved since.
  const Manifest* ended = nullptr;
  const KeptBytes* ended_bytes = nullptr;
};

// Compares the present state with a snapshot; changes nothing. A folder comes before its content. A
// folder that cannot be looked into is reported itself, as kUnseen or kCannot, instead of its
// content, even if only something in it is in the scope.
base::Result<std::vector<Change>> plan_undo(const Manifest& manifest, const KeptBytes& bytes,
                                            const UndoScope& scope, const KnownPresent& known = {});

bool is_in_scope(const UndoScope& scope, const RootSpec& root, std::string_view path);
// Whether the folder, or something in it, is named in the scope.
bool leads_into_scope(const UndoScope& scope, const RootSpec& root, std::string_view folder);

// The prefix of temporary names; leftovers of an interrupted undo with this prefix are removed.
inline constexpr std::string_view kTemporaryPrefix = ".orch-undo-";

}  // namespace orch::repo
