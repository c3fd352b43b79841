#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::event {

// What an agent is doing. "Unknown" is not a status: no evidence keeps the last one.
enum class AgentStatus : uint8_t {
  kStarting,
  kIdle,  // ready for a prompt
  kWorking,
  kWaiting,  // blocked on a dialog
  kError,    // the last turn ended in one; its prompt accepts input like idle
  kExited,
};

// Why it has that status; kNone where nothing more is known. Which causes go with which status is
// fixed: see allowed().
enum class Cause : uint8_t {
  kNone,
  // waiting
  kPermission,
  kQuestion,
  kPlan,
  kTrust,  // also a bypass warning
  kLogin,  // also an API-key question
  kOnboarding,
  kUpdate,  // also a model nudge
  kLimit,
  // error
  kAuth,
  kRateLimit,
  kOverloaded,
  kApi,
  kModel,
  kContext,
  // working
  kTool,
  kRetry,
  kBackground,  // the turn is over, background work is not
  kSubmitted,   // our Enter was sent, nothing drawn yet
  // idle
  kMenu,
  kDraft,
};

std::string_view name(AgentStatus status);
std::string_view name(Cause cause);  // "" for kNone
std::optional<AgentStatus> status_named(std::string_view name);
std::optional<Cause> cause_named(std::string_view name);  // "" is kNone
bool allowed(AgentStatus status, Cause cause);

// At its prompt and able to take a message: idle or error.
constexpr bool accepts_input(AgentStatus status) {
  return status == AgentStatus::kIdle || status == AgentStatus::kError;
}

// Whether a dialog of this cause is about what the agent does in its turn.
constexpr bool comes_of_turn(Cause cause) {
  return cause == Cause::kPermission || cause == Cause::kQuestion || cause == Cause::kPlan;
}

// "waiting/permission"; the status alone without a cause.
std::string status_text(AgentStatus status, Cause cause);

}  // namespace orch::event
