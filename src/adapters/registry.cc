#include "adapters/registry.h"

#include <algorithm>

#include "adapters/embedded.h"

namespace orch::adapters {

base::Result<Registry> Registry::load(std::span<const ManifestFile> files) {
  Registry registry;
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    if (base::Status s = registry.add(embedded.text, embedded.file, base::JsonAuthor::kProgram); !s)
      return s.error();
  }
  for (const ManifestFile& file : files) {
    if (base::Status s = registry.add(file.text, file.path, base::JsonAuthor::kPerson); !s)
      return s.error();
  }
  return registry;
}

base::Status Registry::add(std::string_view text, std::string_view file, base::JsonAuthor author) {
  base::Result<Manifest> manifest = parse_manifest(text, file, author);
  if (!manifest) return manifest.error();
  const auto known = std::find_if(manifests_.begin(), manifests_.end(),
                                  [&](const Manifest& m) { return m.name == manifest->name; });
  if (known != manifests_.end()) {
    *known = std::move(manifest).value();
  } else {
    manifests_.push_back(std::move(manifest).value());
  }
  return base::Ok{};
}

const Manifest* Registry::find(std::string_view name) const {
  const auto it = std::find_if(manifests_.begin(), manifests_.end(),
                               [name](const Manifest& m) { return m.name == name; });
  return it == manifests_.end() ? nullptr : &*it;
}

const Manifest* Registry::find_kind(std::string_view kind) const {
  if (const Manifest* manifest = find(kind)) return manifest;
  const auto it = std::find_if(manifests_.begin(), manifests_.end(), [kind](const Manifest& m) {
    const std::vector<std::string>& aliases = m.task.aliases;
    return std::find(aliases.begin(), aliases.end(), kind) != aliases.end();
  });
  return it == manifests_.end() ? nullptr : &*it;
}

std::string Registry::names() const {
  std::string names;
  for (const Manifest& manifest : manifests_) {
    if (!names.empty()) names += ", ";
    names += manifest.name;
  }
  return names;
}

}  // namespace orch::adapters
