#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// What the tests before an action of find let through.
struct FindGuard {
  enum class Reach : uint8_t {
    kAll,   // there is no test
    kMost,  // a test that may leave nothing out: -type f, -name '*', ! -name x
    kFew,   // a name that is not everybody's, an empty file, a link
  };
  Reach reach = Reach::kAll;
  bool plain_names = false;      // nothing that tells other programs what to run, as git's hooks
  bool no_folders = false;       // -type f
  bool protected_names = false;  // it is what a policy protects that is looked for: -name .git
};

struct FindAction {
  enum class Kind : uint8_t {
    kPrints,   // the path of what was found
    kShows,    // something else of it
    kDeletes,  // it
    kWrites,   // to the file that `words` names
    kRuns,     // the command in `words`, with {} for what was found
  };
  Kind kind = Kind::kPrints;
  FindGuard guard;
  std::vector<ShellWord> words;
  bool in_folder = false;  // of kRuns: in the folder where it was found
};

// The arguments of find taken apart as find does it: options, roots, an expression of tests and
// actions. Total: what find would refuse yields something, too.
struct FindCommand {
  std::vector<ShellWord> roots;  // one at least
  std::vector<FindAction> actions;
  bool follows_links = false;
  bool below_roots = false;  // the roots themselves are not looked at: -mindepth 1
  bool understood = true;    // false: a part of it may be anything

  std::vector<bool> named;  // of each root: may a test for a name be about the root itself?

  // Is a root, by its index, among what gets as far as an action with this guard?
  bool finds_root(size_t root, const FindGuard& guard) const;
};

FindCommand read_find(const std::vector<ShellWord>& arguments);

}  // namespace orch::policy
