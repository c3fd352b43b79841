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

// The place where a command runs.
struct Whereabouts {
  std::string_view work_dir;               // the folder that it may write to; absolute
  const std::optional<std::string>& dir;   // the current directory, absolute, with marks; nullopt
                                           // if a cd could not be followed
  const std::vector<std::string>& linked;  // the paths of links that the command itself made
};

// The home of the user that holds the work directory; otherwise the home of an unknown user.
std::string home_of(std::string_view work_dir);

// The absolute path that a word names, without "." and ".." in it, as far as the text shows.
// Symbolic links are not followed. A path that leads through a link that the command itself makes
// is unknown.
struct NamedPath {
  std::string path;       // with marks
  bool exact = true;      // the path has no marks
  bool unknown = false;   // the word goes on after `path` and may lead anywhere
  bool contents = false;  // the word names all files in `path` ("path/*"), or most if not exact
};
std::optional<NamedPath> path_of(const ShellWord& word, const Whereabouts& where);

// The kind of place that a command writes to.
enum class Place : uint8_t {
  kAllowed,  // in the work directory; /tmp, /var/tmp; /dev/null, /dev/std*, /dev/tty, /dev/fd
  // In the work directory, but a file that makes other programs run commands: .git/hooks.
  kProtected,
  kMaybeProtected,  // perhaps a protected file, or a folder that holds one
  kOutside,
  kDisk,  // a block device or memory
  kUnknown,
};
Place place_of(const ShellWord& word, const Whereabouts& where);

// Whether the path is the root directory or a folder directly in it (except /tmp), the home of a
// user, the work directory or a folder that holds the work directory.
bool is_root(std::string_view path, std::string_view work_dir);

}  // namespace orch::policy
