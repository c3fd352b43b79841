#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// The files that pass the tests before an action of find.
struct FindGuard {
  enum class Reach : uint8_t {
    kAll,   // without tests
    kMost,  // all files may pass: -type f, -name '*', ! -name x
    kFew,   // few files pass: a name that few files have, an empty file, a link
  };
  Reach reach = Reach::kAll;
  bool plain_names = false;  // no file passes that makes other programs run commands (git hooks)
  bool no_folders = false;   // no folder passes: -type f
  bool protected_names = false;  // find looks for something that a policy protects: -name .git
};

struct FindAction {
  enum class Kind : uint8_t {
    kPrints,   // prints the path of the found file
    kShows,    // prints something else about the found file
    kDeletes,  // deletes the found file
    kWrites,   // writes to the file that `words` names
    kRuns,     // runs the command in `words`; {} in it is the found file
  };
  Kind kind = Kind::kPrints;
  FindGuard guard;
  std::vector<ShellWord> words;
  bool in_folder = false;  // for kRuns: the command runs in the folder of the found file
};

// The arguments of find, parsed as find does: options, roots, and an expression of tests and
// actions. Any arguments give a result, even if find would refuse them.
struct FindCommand {
  std::vector<ShellWord> roots;  // at least one
  std::vector<FindAction> actions;
  bool follows_links = false;
  bool below_roots = false;  // the roots themselves are skipped: -mindepth 1
  bool understood = true;    // false: a part of the arguments may mean anything

  std::vector<bool> named;  // for each root: whether a test for a name may match the root itself

  // Whether the root with this index may reach an action with this guard.
  bool finds_root(size_t root, const FindGuard& guard) const;
};

FindCommand read_find(const std::vector<ShellWord>& arguments);

}  // namespace orch::policy
