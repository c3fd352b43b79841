#pragma once

#include <span>
#include <string>
#include <string_view>

#include "event/event.h"
#include "store/run_record.h"

namespace orch::ci {

// A run as one JSON document of the Agent Trajectory Interchange Format 1.7, which runners of
// benchmarks read: a step for each message of the user's, for the agent's words with the tools that
// follow them, and for each gate. Valid UTF-8.
std::string trajectory_of(const store::RunRecord& record, const store::RunResult& result,
                          std::span<const event::Record> events, std::string_view trace_id);

// The trace id in a W3C TRACEPARENT, "00-<32 hexadecimal digits>-..."; "" if there is none.
std::string trace_id_of(std::string_view traceparent);

}  // namespace orch::ci
