#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/stream_request.h"
#include "event/event.h"

namespace orch::driver {

// A call or a dialog of a run, from its events.jsonl, and the decision about it.
struct RecordedCall {
  agent::DialogRequest request;  // as a policy reads it; its options have no descriptions
  std::string what;              // the command, the paths or the input, for people
  std::string decided;           // by the policy: "allow", "deny" or "asked"
  std::string by;                // the rule: "policy:all", "denylist:publish", "user"
  std::optional<int64_t> ms;     // how long the agent waited; nullopt for a dialog
  bool is_dialog = false;
};

// Collects the decisions of a run from its events, in order. A call that the user was asked about
// and the dialog that asked count as one, as asked.
class RecordedCalls {
 public:
  // `kinds` must outlive this object.
  explicit RecordedCalls(const ToolKinds& kinds) : kinds_(kinds) {}
  void take(const event::Event& event);
  std::vector<RecordedCall> all() && { return std::move(calls_); }

 private:
  void take_tool(const event::Tool& tool);
  void take_dialog(const event::Dialog& dialog);

  const ToolKinds& kinds_;
  std::vector<RecordedCall> calls_;
  std::vector<std::string> ids_;  // of calls_; "" for dialogs
};

}  // namespace orch::driver
