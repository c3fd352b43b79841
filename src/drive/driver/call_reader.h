#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "agent/tool_call.h"
#include "driver/stream_request.h"

namespace orch::driver {

// An event that a hook of the agent reports.
struct CallEvent {
  const adapters::CallSpec::Event* event = nullptr;  // of the manifest
  agent::ToolCall call;                              // without its id; for kCall and kRan
  std::string input;                                 // the tool's input as JSON
  // The agent's own id for the call, the same in all events of the call; "" where it has none.
  std::string agent_id;
};

// Reads the events of the call check, and writes the answers.
class CallReader {
 public:
  explicit CallReader(const adapters::Manifest& manifest);  // it must outlive this object

  // nullopt if the manifest knows no event like this text, or if a required part is missing.
  std::optional<CallEvent> read(std::string_view json, const std::string& work_dir) const;
  // The same for a call that the agent's own output reports.
  agent::ToolCall call_of(const std::string& tool, const std::string& input) const;

 private:
  const adapters::CallSpec& spec_;
  ToolKinds kinds_;
};

// The hook's output. "" leaves the decision to the agent.
std::string answer_to(const adapters::CallSpec::Event& event, const agent::CallDecision& decision);

}  // namespace orch::driver
