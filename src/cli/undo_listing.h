#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "repo/undo_plan.h"

namespace orch::cli {

// Text that names files, whose names an agent may have chosen.
std::string without_secrets(std::string_view text);
std::vector<std::string> without_secrets(std::vector<std::string> texts);

// A path as people know it: below the work directory without that.
std::string shown_path(const repo::Manifest& manifest, const repo::Change& change);

// What an undo would do, or did, as it is shown.
class UndoListing {
 public:
  UndoListing(const repo::Manifest& manifest, const std::vector<repo::Change>& changes)
      : manifest_(manifest), changes_(changes) {}

  size_t count(repo::Act act) const;
  size_t to_do() const;

  // A folder that comes back is one line for all that is in it, unless all is wanted.
  void print(bool all) const;
  std::string summary() const;
  base::Json json() const;

 private:
  void print_act(repo::Act act, bool all) const;

  const repo::Manifest& manifest_;
  const std::vector<repo::Change>& changes_;
};

}  // namespace orch::cli
