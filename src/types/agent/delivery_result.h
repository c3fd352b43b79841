#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orch::agent {

// The outcome of a message to the agent.
enum class DeliveryResult : uint8_t {
  kAccepted,        // the agent has the message
  kUnfinished,      // the agent has it, but its turn did not end while the sender waited for it
  kUnconfirmed,     // it was typed, but the agent showed no sign of taking it
  kBlocked,         // no key was typed, because a dialog or a user's draft is in the way, or
                    // because the terminal would cut the message
  kTimeout,         // the prompt never came, so no key was typed; or a command led to a dialog
  kExited,          // the agent ended first
  kWouldBeCommand,  // no key was typed, because the agent would take the text for a command
};
std::string_view name(DeliveryResult result);
std::optional<DeliveryResult> delivery_result_named(std::string_view name);

}  // namespace orch::agent
