#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"

namespace orch::cli {

std::string environment(const char* name);  // "" when unset

// The state directory, from --state-dir, else the environment.
base::Result<std::string> state_dir_of(const std::optional<std::string>& argument);

// The whole of a file, or of standard input for "-". Errors name the path.
base::Result<std::string> read_text(const std::string& path);

// The absolute path of a folder that exists.
base::Result<std::string> resolve_folder(const std::string& path);

// The root of the git repository that holds `folder`, else the folder itself.
std::string repository_of(const std::string& folder);

// The user's manifests: $XDG_CONFIG_HOME/orch/adapters/*.json, then
// <repository>/.orch/adapters/*.json, each in the order of their names.
base::Result<std::vector<adapters::ManifestFile>> user_manifests(const std::string& repository);

// This binary, for agents that are part of it.
base::Result<std::string> own_path();

}  // namespace orch::cli
