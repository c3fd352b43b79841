#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"

namespace orch::adapters {

// A manifest file of the user's, already read.
struct ManifestFile {
  std::string path;
  std::string text;
};

// Every agent that is known: those in the binary, then the user's, which replace those of the same
// name or add to them.
class Registry {
 public:
  // The later of `files` wins. The first bad file is the error.
  static base::Result<Registry> load(std::span<const ManifestFile> files);

  const Manifest* find(std::string_view name) const;  // nullptr: no such agent
  // Also by one of its task.aliases; an agent's own name comes first.
  const Manifest* find_kind(std::string_view kind) const;
  const std::vector<Manifest>& all() const { return manifests_; }
  std::string names() const;  // "claude, codex, ..." for messages

 private:
  base::Status add(std::string_view text, std::string_view file, base::JsonAuthor author);
  std::vector<Manifest> manifests_;
};

}  // namespace orch::adapters
