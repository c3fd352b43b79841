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

// What an undo does with one path.
enum class Act : uint8_t {
  kRestore,     // it is gone, and comes back
  kChangeBack,  // its content, mode, kind or target is another
  kRemove,      // what git left of a command that the snapshot does not know: a rebase, a lock
  kLeave,       // made since: it is told, and stays
  kCannot,      // it cannot be brought back
  kUnseen,      // a folder that is closed to us: what is in it is seen once it is opened up
};
std::string_view name(Act act);

struct Change {
  Act act = Act::kLeave;
  size_t root = 0;
  std::string path;  // below the root; "" is the root itself
  std::string why;   // "content", "mode 0644, was 0755"; "" where the act says it all
  size_t entry = 0;  // of the root's; of kRestore and kChangeBack, where `path` is not ""
  bool mode_only = false;
  bool closed = false;  // it may not be read, so that its content counts as another
};

struct UndoScope {
  std::vector<std::string> only;  // absolute paths; empty: everything
  bool shared = false;            // also changes what other worktrees use
};

// What is known of the present beside what can be seen of it.
struct KnownPresent {
  // By absolute path the modes of what was opened up, as they were before.
  std::map<std::string, mode_t> modes;
  // The snapshot that was brought back last, with its bytes, or nullptr: what came back with it and
  // is no part of the other one goes again, unless somebody has worked on it since.
  const Manifest* brought_back = nullptr;
  const KeptBytes* its_bytes = nullptr;
};

// Compares the present with a snapshot; changes nothing. A folder comes before what is in it.
// Nothing is said of what lies in a folder that cannot be looked into: that folder is told in its
// place, kUnseen or kCannot, also where it is only on the way to what is in the scope.
base::Result<std::vector<Change>> plan_undo(const Manifest& manifest, const KeptBytes& bytes,
                                            const UndoScope& scope, const KnownPresent& known = {});

bool is_in_scope(const UndoScope& scope, const RootSpec& root, std::string_view path);
// Whether something in the folder, or the folder itself, is named in the scope.
bool leads_into_scope(const UndoScope& scope, const RootSpec& root, std::string_view folder);

// Of names that are written first and then renamed: one that an interrupted undo left is removed.
inline constexpr std::string_view kTemporaryPrefix = ".orch-undo-";

}  // namespace orch::repo
