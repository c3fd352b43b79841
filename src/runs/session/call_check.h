#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "adapters/manifest.h"
#include "agent/tool_call.h"
#include "driver/call_reader.h"
#include "driver/ran_calls.h"
#include "event/event.h"

namespace orch::session {

// Keeps the hooks of one agent that wait for a decision about a call, and the decisions that were
// made, so that all events of one call get the same answer. It makes no decision itself.
class CallCheck {
 public:
  // Gets the hook's output; "" leaves the decision to the agent; nullopt: the hook refuses.
  using OnDecided = std::function<void(std::optional<std::string>)>;
  struct Told {
    std::function<void()> on_start;  // the hooks are in force
    std::function<void(agent::ToolCall)> on_call;
    std::function<void(const std::string& id)> on_gone;
    std::function<void(const std::string& why)> on_unread;
  };

  // `manifest` outlives this object. `since` is when the run began, as driver::RanCalls has it.
  CallCheck(const adapters::Manifest& manifest, std::string work_dir, std::string since, Told told);

  // Takes a hook's event. Returns the id for forget(). `on_decided` is called once, maybe before
  // this returns.
  std::string take(std::string_view json, OnDecided on_decided);
  void decide(const std::string& id, const agent::CallDecision& decision);
  void forget(const std::string& id);  // the hook is gone
  // Other evidence of calls that ran: a line of the agent's own record, or of its output.
  void hear_record(std::string_view line);
  void hear_tool(const event::Tool& tool);

 private:
  struct Waiting {
    driver::CallEvent event;
    OnDecided on_decided;
  };
  struct Decided {
    std::string input;
    agent::CallDecision decision;
    agent::ToolCall call = {};
    int number = 0;  // counts the hooks' events
  };
  void hear_ran(const driver::CallEvent& ran);
  void hear_ran(const std::string& agent_id, const std::string& tool);

  const adapters::Manifest& manifest_;
  std::string work_dir_;
  Told told_;
  driver::CallReader reader_;
  driver::RanCalls record_;
  std::set<std::string> seen_ran_;  // calls that ran, for hooks without call ids
  size_t answered_ = 0;             // calls that were not denied
  size_t ended_ = 0;                // calls that ran, according to the agent's output
  int taken_ = 0;
  std::map<std::string, Waiting> waiting_;
  const Decided* decided(const std::string& agent_id) const;  // nullptr: no hook reported it
  // For an event without the agent's id: the decision about the last call that does the same.
  const Decided* decided_like(const agent::ToolCall& call) const;
  const Decided* decided(const driver::CallEvent& event) const;

  // By the agent's own id. The oldest are forgotten: when the first is full it becomes the second.
  std::map<std::string, Decided> decided_, decided_before_;
};

}  // namespace orch::session
