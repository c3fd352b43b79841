#pragma once

#include <string_view>

// The labels of orch's containers. Pure.
namespace orch::sandbox {

// The orch process that owns the container, in the form of pty::identity_text(); the container
// lives as long as that process.
constexpr std::string_view kOwnerLabel = "orch.owner";
constexpr std::string_view kUserLabel = "orch.uid";  // the user id of that process
constexpr std::string_view kSessionLabel = "orch.session";
constexpr std::string_view kRunLabel = "orch.run";
constexpr std::string_view kWorkLabel = "orch.work";  // the folder that is mounted at kWorkspace
constexpr std::string_view kTaskLabel = "orch.task";

}  // namespace orch::sandbox
