#pragma once

#include <cstdint>
#include <string>

#include "agent/dialog_request.h"
#include "base/time.h"

namespace orch::agent {

// A use of a tool that the agent reports before it begins. The agent waits for the decision.
struct ToolCall {
  std::string id;          // names it among the calls of its run
  DialogRequest request;   // as a policy reads it, with the options Yes and No
  std::string cwd = {};    // where it would run, where the agent says so; absolute
  base::TimeMs since = 0;  // when the agent reported it, in the run's milliseconds
};

struct CallDecision {
  enum class Answer : uint8_t {
    kAllow,
    kDeny,
    kAgentAsks,  // the agent's own dialog decides: the call itself is a question
  };
  Answer answer = Answer::kDeny;
  std::string rule;  // the rule that decided, as in policy::Decision; "user"
};

}  // namespace orch::agent
