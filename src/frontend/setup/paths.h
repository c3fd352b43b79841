#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/find.h"

namespace orch::setup {

std::string environment(const char* name);  // "" when unset

// The state directory that --state-dir or the environment names. It is an error if it belongs to
// another user. If it was open to other users it is closed to them, and standard error says so.
base::Result<std::string> state_dir_of(const std::optional<std::string>& argument);

inline constexpr size_t kMaxTextBytes = 1 << 20;

// Reads a whole file, or standard input for "-". Errors name the path; more than max_bytes are an
// error, and so is standard input that has not ended after most_ms.
base::Result<std::string> read_text(const std::string& path, size_t max_bytes = kMaxTextBytes,
                                    std::optional<int64_t> most_ms = {});

// The absolute path, without links, of a regular file; "" for anything else.
std::string regular_file(const std::string& path);
// False if nothing is at the path. It may be anything else, or a link that leads nowhere, or that
// cannot be known: whoever reads the file says so.
bool may_be_there(const std::string& path);

// The absolute path, without links, of a folder that exists.
base::Result<std::string> resolve_folder(const std::string& path);

// The root of the git repository that contains `folder`, or the folder itself if there is none.
std::string repository_of(const std::string& folder);

// The places to look for sessions and runs: the state directory, the working directory and its
// repository.
base::Result<client::Place> place_of(const std::optional<std::string>& state_dir);

// The path of this binary, for agents that are part of it.
base::Result<std::string> own_path();

}  // namespace orch::setup
