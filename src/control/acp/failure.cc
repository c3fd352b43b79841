#include "acp/failure.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"

namespace orch::acp {
namespace {

using event::Cause;
using event::ExitReason;

constexpr int kInternalError = -32603, kAuthRequired = -32000;

struct KindRow {
  std::string_view kind, text, phrase;
};
constexpr std::array kKinds{
    KindRow{"auth", "the agent is not logged in, or its key is refused", "Not logged in"},
    KindRow{"rate_limit", "the model's provider refuses for now", "rate limit"},
    KindRow{"overloaded", "the model's provider is overloaded", "API Error: Overloaded"},
    KindRow{"api", "the model's provider failed", "API Error: 500 Internal server error"},
    KindRow{"model", "the model cannot be used", "Cannot use this model"},
    KindRow{"context", "the conversation is too long for the model",
            "prompt is too long: 2 tokens > 1 maximum"},
    KindRow{"timeout", "the turn took too long", "the turn timed out"},
    KindRow{"limit", "a limit of the run is reached", "a limit of orch's is reached"},
    KindRow{"crash", "the agent ended in its turn", "the agent ended in its turn"},
};

const KindRow& row_of(std::string_view kind) {
  const auto found = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const KindRow& row) { return row.kind == kind; });
  return found == kKinds.end() ? kKinds.back() : *found;
}

std::string_view kind_of(Cause cause) {
  switch (cause) {
    case Cause::kAuth:
    case Cause::kLogin:
      return "auth";
    case Cause::kRateLimit:
    case Cause::kLimit:
      return "rate_limit";
    case Cause::kOverloaded:
      return "overloaded";
    case Cause::kModel:
      return "model";
    case Cause::kContext:
      return "context";
    case Cause::kNone:
    case Cause::kPermission:
    case Cause::kQuestion:
    case Cause::kPlan:
    case Cause::kTrust:
    case Cause::kOnboarding:
    case Cause::kUpdate:
    case Cause::kMode:
    case Cause::kHooks:
    case Cause::kServers:
    case Cause::kImports:
    case Cause::kResume:
    case Cause::kApi:
    case Cause::kTool:
    case Cause::kRetry:
    case Cause::kBackground:
    case Cause::kSubmitted:
    case Cause::kMenu:
    case Cause::kDraft:
      return "api";
  }
  return "api";
}

std::string_view kind_of(ExitReason reason, Cause last_cause) {
  switch (reason) {
    case ExitReason::kAgentError:
      return kind_of(last_cause);
    case ExitReason::kRetryLater:
      return last_cause == Cause::kOverloaded ? "overloaded" : "rate_limit";
    case ExitReason::kTimeout:
      return "timeout";
    case ExitReason::kTurns:
    case ExitReason::kTokens:
    case ExitReason::kCost:
    case ExitReason::kStuck:
      return "limit";
    case ExitReason::kComplete:
    case ExitReason::kIdle:
    case ExitReason::kExit:
    case ExitReason::kAgentFailed:
    case ExitReason::kExitedEarly:
    case ExitReason::kOffTape:
    case ExitReason::kTaskFailed:
    case ExitReason::kUsage:
    case ExitReason::kNeedsHuman:
    case ExitReason::kCallsUnread:
    case ExitReason::kGateFailed:
    case ExitReason::kNoChanges:
    case ExitReason::kInternal:
    case ExitReason::kNotExecutable:
    case ExitReason::kNotFound:
    case ExitReason::kAgentSignal:
    case ExitReason::kInterrupted:
    case ExitReason::kTerminated:
    case ExitReason::kKilled:
      return "crash";
  }
  return "crash";
}

Failure failure_with(std::string_view kind, std::string_view detail = "") {
  std::string text(row_of(kind).text);
  if (!detail.empty()) text += ": " + base::printable(detail);
  return {std::string(kind), std::move(text), std::nullopt};
}

}  // namespace

Failure failure_of(Cause cause) { return failure_with(kind_of(cause)); }

Failure failure_of(ExitReason reason, Cause last_cause, std::string_view detail) {
  return failure_with(kind_of(reason, last_cause), detail.empty() ? event::name(reason) : detail);
}

int code_of(const Failure& failure) {
  return failure.kind == "auth" ? kAuthRequired : kInternalError;
}

base::Json data_of(const Failure& failure, const std::string& run) {
  base::Json data{{"kind", failure.kind}};
  data["retry_after"] = base::or_null(failure.retry_after_s);
  data["run"] = base::or_null(run);
  return data;
}

std::string phrase_of(const Failure& failure) {
  return std::string(row_of(failure.kind).phrase) + " (" + failure.text + ")";
}

}  // namespace orch::acp
