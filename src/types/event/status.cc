#include "event/status.h"

#include <array>

#include "base/words.h"

namespace orch::event {
namespace {

constexpr base::Words<AgentStatus, 6> kStatuses{{
    {AgentStatus::kStarting, "starting"},
    {AgentStatus::kIdle, "idle"},
    {AgentStatus::kWorking, "working"},
    {AgentStatus::kWaiting, "waiting"},
    {AgentStatus::kError, "error"},
    {AgentStatus::kExited, "exited"},
}};

struct CauseRow {
  Cause cause;
  std::string_view name;
  AgentStatus status;
};
constexpr std::array<CauseRow, 25> kCauses{{
    {Cause::kPermission, "permission", AgentStatus::kWaiting},
    {Cause::kQuestion, "question", AgentStatus::kWaiting},
    {Cause::kPlan, "plan", AgentStatus::kWaiting},
    {Cause::kTrust, "trust", AgentStatus::kWaiting},
    {Cause::kLogin, "login", AgentStatus::kWaiting},
    {Cause::kOnboarding, "onboarding", AgentStatus::kWaiting},
    {Cause::kUpdate, "update", AgentStatus::kWaiting},
    {Cause::kMode, "mode", AgentStatus::kWaiting},
    {Cause::kHooks, "hooks", AgentStatus::kWaiting},
    {Cause::kServers, "servers", AgentStatus::kWaiting},
    {Cause::kImports, "imports", AgentStatus::kWaiting},
    {Cause::kResume, "resume", AgentStatus::kWaiting},
    {Cause::kLimit, "limit", AgentStatus::kWaiting},
    {Cause::kAuth, "auth", AgentStatus::kError},
    {Cause::kRateLimit, "rate_limit", AgentStatus::kError},
    {Cause::kOverloaded, "overloaded", AgentStatus::kError},
    {Cause::kApi, "api", AgentStatus::kError},
    {Cause::kModel, "model", AgentStatus::kError},
    {Cause::kContext, "context", AgentStatus::kError},
    {Cause::kTool, "tool", AgentStatus::kWorking},
    {Cause::kRetry, "retry", AgentStatus::kWorking},
    {Cause::kBackground, "background", AgentStatus::kWorking},
    {Cause::kSubmitted, "submitted", AgentStatus::kWorking},
    {Cause::kMenu, "menu", AgentStatus::kIdle},
    {Cause::kDraft, "draft", AgentStatus::kIdle},
}};

}  // namespace

std::string_view name(AgentStatus status) { return base::word_of(kStatuses, status); }

std::string_view name(Cause cause) {
  for (const CauseRow& row : kCauses) {
    if (row.cause == cause) return row.name;
  }
  return {};
}

std::optional<AgentStatus> status_named(std::string_view name) {
  return base::value_of(kStatuses, name);
}

std::optional<Cause> cause_named(std::string_view name) {
  if (name.empty()) return Cause::kNone;
  for (const CauseRow& row : kCauses) {
    if (row.name == name) return row.cause;
  }
  return std::nullopt;
}

bool allowed(AgentStatus status, Cause cause) {
  if (cause == Cause::kNone) return true;
  for (const CauseRow& row : kCauses) {
    if (row.cause == cause) return row.status == status;
  }
  return false;
}

std::vector<std::string_view> causes_of(std::optional<AgentStatus> status) {
  std::vector<std::string_view> names;
  for (const CauseRow& row : kCauses) {
    if (!status || row.status == *status) names.push_back(row.name);
  }
  return names;
}

std::string status_text(AgentStatus status, Cause cause) {
  std::string text(name(status));
  if (cause != Cause::kNone) text.append("/").append(name(cause));
  return text;
}

}  // namespace orch::event
