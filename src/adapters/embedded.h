#pragma once

#include <span>
#include <string_view>

namespace orch::adapters {

// A manifest that is part of the binary: its file name and its JSON text (src/adapters/manifests).
struct EmbeddedManifest {
  std::string_view file;
  std::string_view text;
};
std::span<const EmbeddedManifest> embedded_manifests();

}  // namespace orch::adapters
