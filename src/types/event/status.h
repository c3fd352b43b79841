#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::event {

// An agent's activity. "Unknown" is not a status: without evidence the last status stays.
enum class AgentStatus : uint8_t {
  kStarting,
  kIdle,  // ready for a prompt
  kWorking,
  kWaiting,  // blocked on a dialog
  kError,    // the last turn ended in an error; the prompt accepts input as in kIdle
  kExited,
};

// Why the agent has its status, or kNone if nothing more is known. Each cause belongs to one
// status: see allowed().
enum class Cause : uint8_t {
  kNone,
  // waiting
  kPermission,
  kQuestion,
  kPlan,
  kTrust,  // also a bypass warning
  kLogin,  // also an API-key question
  kOnboarding,
  kUpdate,   // also a model nudge
  kMode,     // another way of asking for permission is offered
  kHooks,    // hooks of the folder want to be trusted
  kServers,  // MCP servers of the folder want to be started
  kImports,  // files outside of the folder want to be read as instructions
  kResume,   // whether an old session goes on as it is, or from a summary
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
  kSubmitted,   // orch or a user typed Enter, and the agent has not drawn anything yet
  // idle
  kMenu,
  kDraft,
};

std::string_view name(AgentStatus status);
std::string_view name(Cause cause);  // "" for kNone
std::optional<AgentStatus> status_named(std::string_view name);
std::optional<Cause> cause_named(std::string_view name);  // "" is kNone
bool allowed(AgentStatus status, Cause cause);
// The names of the causes of a status; nullopt: of all.
std::vector<std::string_view> causes_of(std::optional<AgentStatus> status);

// Whether the agent is at its prompt and can take a message.
constexpr bool accepts_input(AgentStatus status) {
  return status == AgentStatus::kIdle || status == AgentStatus::kError;
}

// The status for a sender of messages: work in the background leaves the prompt free.
constexpr AgentStatus at_prompt(AgentStatus status, Cause cause) {
  return cause == Cause::kBackground ? AgentStatus::kIdle : status;
}

// Whether a dialog with this cause is a part of the agent's turn.
constexpr bool comes_of_turn(Cause cause) {
  return cause == Cause::kPermission || cause == Cause::kQuestion || cause == Cause::kPlan;
}

// The status and its cause, as in "waiting/permission"; the status alone without a cause.
std::string status_text(AgentStatus status, Cause cause);

}  // namespace orch::event
