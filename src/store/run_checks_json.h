#pragma once

#include <optional>
#include <vector>

#include "base/json_fwd.h"
#include "event/event.h"
#include "store/run_checks.h"

namespace orch::store {

// The members "gates", "changes", "worktree" and "usage" of result.json and of run.json's verdict.
// Users link nlohmann_json.
base::Json json_of(const std::vector<GateRun>& gates);
base::Json json_of(const std::optional<FoundChanges>& changes);
base::Json json_of(const std::optional<WorktreeEnd>& worktree);
void read_gates(base::JsonMembers& parent, std::vector<GateRun>& gates);
void read_changes(base::JsonMembers& parent, std::optional<FoundChanges>& changes);
void read_worktree(base::JsonMembers& parent, std::optional<WorktreeEnd>& worktree);

}  // namespace orch::store
