#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "repo/undo_plan.h"

namespace orch::cli {

// Masks secrets in texts that contain names of files, which an agent may have chosen.
std::string without_secrets(std::string_view text);
std::vector<std::string> without_secrets(std::vector<std::string> texts);

// A path for people: relative to the work directory if it is below that.
std::string shown_path(const repo::Manifest& manifest, const repo::Change& change);

// Shows the changes that an undo would make, or has made.
class UndoListing {
 public:
  UndoListing(const repo::Manifest& manifest, const std::vector<repo::Change>& changes)
      : manifest_(manifest), changes_(changes) {}

  size_t count(repo::Act act) const;
  size_t to_do() const;
  size_t later() const;  // how many of them --later would bring back

  // A restored folder is one line with the number of things in it, unless `all` is true.
  void print(bool all) const;
  std::string summary() const;
  base::Json json() const;

 private:
  void print_act(repo::Act act, bool all) const;

  const repo::Manifest& manifest_;
  const std::vector<repo::Change>& changes_;
};

}  // namespace orch::cli
