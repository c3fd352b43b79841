#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pty/process_identity.h"

// What orch's containers say of themselves. Pure.
namespace orch::sandbox {

// The orch that a container belongs to, as owner_text() has it: it lives as long as that one.
constexpr std::string_view kOwnerLabel = "orch.owner";
constexpr std::string_view kUserLabel = "orch.uid";  // of that orch
constexpr std::string_view kSessionLabel = "orch.session";
constexpr std::string_view kRunLabel = "orch.run";
constexpr std::string_view kWorkLabel = "orch.work";  // the folder that is its kWorkspace
constexpr std::string_view kTaskLabel = "orch.task";

// "PID:START:NAMESPACE:BOOT:HOSTNAME:MACHINE".
std::string owner_text(const pty::ProcessIdentity& owner);
std::optional<pty::ProcessIdentity> owner_from(std::string_view text);

}  // namespace orch::sandbox
