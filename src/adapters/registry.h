#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"

namespace orch::adapters {

// The path and the text of a manifest file of the user.
struct ManifestFile {
  std::string path;
  std::string text;
};

// All known agents: those in the binary and those of the user. An agent of the user replaces one of
// the same name.
class Registry {
 public:
  // If two files have an agent of the same name, the later one counts. The first bad file is the
  // error.
  static base::Result<Registry> load(std::span<const ManifestFile> files);

  // The pointers stay valid as long as the registry. nullptr: there is no such agent.
  const Manifest* find(std::string_view name) const;
  // Finds an agent by its name, otherwise by one of its task.aliases.
  const Manifest* find_kind(std::string_view kind) const;
  const std::vector<Manifest>& all() const { return manifests_; }
  std::string names() const;  // "claude, codex, ..." for messages

 private:
  base::Status add(std::string_view text, std::string_view file, base::JsonAuthor author);
  std::vector<Manifest> manifests_;
};

}  // namespace orch::adapters
