#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orch::agent {

// What became of a message to the agent.
enum class DeliveryResult : uint8_t {
  kAccepted,        // the agent has the message
  kUnfinished,      // ... but its turn was not over in the time that the sender waits for it
  kUnconfirmed,     // it was typed, but nothing shows that the agent took it
  kBlocked,         // a dialog or a human's draft is in the way, or the terminal would cut it;
                    // nothing was typed
  kTimeout,         // the prompt never came, and nothing was typed; or a command led to a dialog
  kExited,          // the agent ended first
  kWouldBeCommand,  // the agent would take it for a command; nothing was typed
};
std::string_view name(DeliveryResult result);
std::optional<DeliveryResult> delivery_result_named(std::string_view name);

}  // namespace orch::agent
