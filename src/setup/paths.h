#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/find.h"

namespace orch::setup {

std::string environment(const char* name);  // "" when unset

// The state directory, from --state-dir, else the environment. Another user's is an error; one that
// was open to others is closed, which is said on standard error.
base::Result<std::string> state_dir_of(const std::optional<std::string>& argument);

inline constexpr size_t kMaxTextBytes = 1 << 20;

// The whole of a file, or of standard input for "-". Errors name the path; more than max_bytes are
// one.
base::Result<std::string> read_text(const std::string& path, size_t max_bytes = kMaxTextBytes);

// The absolute path of a regular file; "" when it is none.
std::string regular_file(const std::string& path);

// The absolute path of a folder that exists.
base::Result<std::string> resolve_folder(const std::string& path);

// The root of the git repository that holds `folder`, else the folder itself.
std::string repository_of(const std::string& folder);

// Where sessions and runs are looked for: the state directory, and the folder that we are in.
base::Result<client::Place> place_of(const std::optional<std::string>& state_dir);

// This binary, for agents that are part of it.
base::Result<std::string> own_path();

}  // namespace orch::setup
