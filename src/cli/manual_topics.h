#pragma once

#include <span>
#include <string_view>

namespace orch::cli {

// A variable or a file, and its purpose.
struct ManualTopic {
  std::string_view name, about;
};

// The environment variables that orch itself obeys. Each option also has one: orch config.
std::span<const ManualTopic> manual_variables();

// The files that orch reads and writes.
std::span<const ManualTopic> manual_files();

}  // namespace orch::cli
