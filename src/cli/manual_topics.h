#pragma once

#include <span>
#include <string_view>

namespace orch::cli {

// A variable or a file, with what it is for.
struct ManualTopic {
  std::string_view name, about;
};

// The variables of the environment that orch itself obeys. Options have one each as well: orch
// config.
std::span<const ManualTopic> manual_variables();

// The files that orch reads and writes.
std::span<const ManualTopic> manual_files();

}  // namespace orch::cli
