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
  std::string trouble;  // why it cannot be read, in one line; then `text` is empty
};

// A manifest of the user that cannot be used, and the agent that is therefore unknown.
struct BadManifest {
  std::string agent;  // the name in the file; otherwise the file's own, without .json
  std::string path;
  std::string why;  // one line: "mine.json:12:5: rules: must be an array"
};

// All known agents: those in the binary and those of the user. An agent of the user replaces one of
// the same name. A manifest in the binary is read on first use, which takes up to a millisecond;
// names and programs are known without that. For one thread at a time.
class Registry {
 public:
  // If two files have an agent of the same name, the later one counts. The first bad file is the
  // error.
  static base::Result<Registry> load(std::span<const ManifestFile> files);
  // The same, but a bad file only disables its agent, also one of the binary that it would have
  // replaced: find() and all() leave that agent out, unless a later file has it.
  static Registry load_each(std::span<const ManifestFile> files);

  const std::vector<BadManifest>& bad() const { return bad_; }
  // Why an agent is disabled, by its name; "" if it is not.
  std::string why_disabled(std::string_view name) const;
  // The pointers stay valid as long as the registry or a copy of it. nullptr for an unknown agent.
  const Manifest* find(std::string_view name) const;
  bool knows(std::string_view name) const { return agent(name) != nullptr; }
  // Finds an agent by its name, otherwise by one of its task.aliases.
  const Manifest* find_kind(std::string_view kind) const;
  // The agents whose program one of the words names, by itself or as the end of a path.
  std::vector<std::reference_wrapper<const Manifest>> named_in(
      std::span<const std::string> words) const;
  std::vector<std::reference_wrapper<const Manifest>> all() const;
  std::vector<std::reference_wrapper<const Manifest>> all_and_disabled() const;
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
    bool disabled = false;  // by a bad file. What it could do is still known, for rules of safety

    const Manifest& read() const;
    std::string_view name() const;
    std::string_view program() const;
    bool has_alias(std::string_view word) const;
    bool has_bypass(std::string_view word) const;
  };

  static Registry of_binary();
  base::Status add(const ManifestFile& file);
  void disable(const ManifestFile& file);
  const Agent* agent(std::string_view name) const;

  std::vector<Agent> agents_;
  std::vector<BadManifest> bad_;
};

}  // namespace orch::adapters
