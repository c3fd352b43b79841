#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orch::agent {

// What became of a message to the agent.
enum class DeliveryResult : uint8_t {
  kAccepted,        // the agent has the message
  kUnfinished,      // the agent has it, but its turn did not end while the sender waited for it
  kUnconfirmed,     // it was typed, but nothing shows that the agent took it
  kBlocked,         // nothing was typed, because a dialog or a person's draft is in the way, or
                    // because the terminal would cut the message
  kTimeout,         // the prompt never came and nothing was typed, or a command led to a dialog
  kExited,          // the agent ended first
  kWouldBeCommand,  // nothing was typed, because the agent would take the text for a command
};
std::string_view name(DeliveryResult result);
std::optional<DeliveryResult> delivery_result_named(std::string_view name);

}  // namespace orch::agent
