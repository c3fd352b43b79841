#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "agent/tool_call.h"
#include "driver/stream_request.h"

namespace orch::driver {

// What a hook of the agent tells.
struct CallEvent {
  const adapters::CallSpec::Event* event = nullptr;  // of the manifest
  agent::ToolCall call;                              // without its id; for kCall and kRan
  std::string input;                                 // the tool's input as JSON
  // The call's id of the agent's own, by which events of one call are known; "" where it has none.
  std::string agent_id;
};

// Reads the events of the call check, and writes the answers.
class CallReader {
 public:
  explicit CallReader(const adapters::Manifest& manifest);  // it must outlive this object

  // Nothing if the text is no event that the manifest knows, or lacks what an event must have.
  std::optional<CallEvent> read(std::string_view json, const std::string& work_dir) const;
  // The same, of a call that the agent's own output tells.
  agent::ToolCall call_of(const std::string& tool, const std::string& input) const;

 private:
  const adapters::CallSpec& spec_;
  ToolKinds kinds_;
};

// What the hook prints. "" leaves the decision to the agent.
std::string answer_to(const adapters::CallSpec::Event& event, const agent::CallDecision& decision);

}  // namespace orch::driver
