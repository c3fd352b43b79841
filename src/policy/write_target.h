#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/shell_words.h"

namespace orch::policy {

// Where a command is run.
struct Whereabouts {
  std::string work_dir;  // what it may write to; absolute
  std::optional<std::string>
      dir;  // where it is now, absolute; nothing when a cd cannot be followed
};

// The absolute path that a word names, without . and .. in it, as far as it is known from the text:
// symbolic links are not followed. $HOME and ~ are taken from the work directory where that is in a
// home.
struct NamedPath {
  std::string path;
  bool exact = true;      // false: the path goes on with what only the shell knows
  bool contents = false;  // it named all that is in it: "path/*"
};
std::optional<NamedPath> path_of(const ShellWord& word, const Whereabouts& where);

// What writing there would touch.
enum class Place : uint8_t {
  kAllowed,  // in the work directory; /tmp, /var/tmp; /dev/null, /dev/std*, /dev/tty, /dev/fd
  kOutside,
  kDisk,  // a block device, memory
  kUnknown,
};
Place place_of(const ShellWord& word, const Whereabouts& where);

// The root directory or one right under it, a user's home, the work directory or one that holds it.
bool is_root(std::string_view path, std::string_view work_dir);

}  // namespace orch::policy
