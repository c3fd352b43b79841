#pragma once

#include <span>
#include <string_view>

namespace orch::adapters {

// A manifest that is part of the binary (src/adapters/manifests). All members but `file` and `text`
// are copies from the text, made when orch is built.
struct EmbeddedManifest {
  std::string_view file;  // its name
  std::string_view name;
  std::string_view program;  // the first word; "" if there is none
  std::string_view aliases;  // task.aliases, each with a blank behind it
  std::string_view bypass;   // likewise
  std::string_view text;     // JSON
};
std::span<const EmbeddedManifest> embedded_manifests();

}  // namespace orch::adapters
