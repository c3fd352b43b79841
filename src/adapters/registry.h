#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/embedded.h"
#include "adapters/manifest.h"
#include "base/result.h"

namespace orch::adapters {

// The path and the text of a manifest file of the user.
struct ManifestFile {
  std::string path;
  std::string text;
};

// All known agents: those in the binary and those of the user. An agent of the user replaces one of
// the same name. A manifest in the binary is read on first use, which takes up to a millisecond;
// names and programs are known without that. For one thread at a time.
class Registry {
 public:
  // If two files have an agent of the same name, the later one counts. The first bad file is the
  // error.
  static base::Result<Registry> load(std::span<const ManifestFile> files);

  // The pointers stay valid as long as the registry or a copy of it. nullptr for an unknown agent.
  const Manifest* find(std::string_view name) const;
  bool knows(std::string_view name) const { return agent(name) != nullptr; }
  // Finds an agent by its name, otherwise by one of its task.aliases.
  const Manifest* find_kind(std::string_view kind) const;
  // The agents whose program one of the words names, by itself or as the end of a path.
  std::vector<std::reference_wrapper<const Manifest>> named_in(
      std::span<const std::string> words) const;
  std::vector<std::reference_wrapper<const Manifest>> all() const;
  // The first word of the agent's program; "" if it has none, or the agent is unknown.
  std::string_view program(std::string_view name) const;
  // Whether the word makes any agent ask for no permission (Manifest::bypass).
  bool is_bypass(std::string_view word) const;
  std::string names() const;  // "claude, codex, ..." for messages

 private:
  // An agent: of the binary, or with a manifest of its own.
  struct Agent {
    const EmbeddedManifest* embedded = nullptr;
    mutable std::shared_ptr<const Manifest> manifest;  // null: not read yet

    const Manifest& read() const;
    std::string_view name() const;
    std::string_view program() const;
    bool has_alias(std::string_view word) const;
    bool has_bypass(std::string_view word) const;
  };

  base::Status add(const ManifestFile& file);
  const Agent* agent(std::string_view name) const;

  std::vector<Agent> agents_;
};

}  // namespace orch::adapters
