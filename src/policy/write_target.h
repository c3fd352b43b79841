#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/shell_text.h"

namespace orch::policy {

using base::is_within;

// Where a command is run.
struct Whereabouts {
  std::string_view work_dir;               // what it may write to; absolute
  const std::optional<std::string>& dir;   // where it is now, absolute, with marks; nothing when a
                                           // cd cannot be followed
  const std::vector<std::string>& linked;  // paths that the command itself made links at
};

// The home that holds the work directory; else one of a user who is not known.
std::string home_of(std::string_view work_dir);

// The absolute path that a word names, without . and .. in it, as far as it is known from the text:
// symbolic links are not followed, but for those that the command makes itself, behind which
// nothing is known.
struct NamedPath {
  std::string path;       // with marks
  bool exact = true;      // without any
  bool unknown = false;   // it goes on from `path` with what may lead anywhere
  bool contents = false;  // it named all that is in it: "path/*"; not exact: perhaps most of it
};
std::optional<NamedPath> path_of(const ShellWord& word, const Whereabouts& where);

// What writing there would touch.
enum class Place : uint8_t {
  kAllowed,    // in the work directory; /tmp, /var/tmp; /dev/null, /dev/std*, /dev/tty, /dev/fd
  kProtected,  // in the work directory, but what makes other programs run commands: .git/hooks
  kMaybeProtected,  // that or a folder that holds it
  kOutside,
  kDisk,  // a block device, memory
  kUnknown,
};
Place place_of(const ShellWord& word, const Whereabouts& where);

// The root directory or one right under it, a user's home, the work directory or one that holds it.
bool is_root(std::string_view path, std::string_view work_dir);

}  // namespace orch::policy
