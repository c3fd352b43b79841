#pragma once

#include <string_view>

// What orch's containers say of themselves. Pure.
namespace orch::sandbox {

// The orch that a container belongs to, as pty::identity_text() has it: it lives as long as that
// one.
constexpr std::string_view kOwnerLabel = "orch.owner";
constexpr std::string_view kUserLabel = "orch.uid";  // of that orch
constexpr std::string_view kSessionLabel = "orch.session";
constexpr std::string_view kRunLabel = "orch.run";
constexpr std::string_view kWorkLabel = "orch.work";  // the folder that is its kWorkspace
constexpr std::string_view kTaskLabel = "orch.task";

}  // namespace orch::sandbox
