#include "store/run_checks_json.h"

#include "base/json_members.h"

namespace orch::store {
namespace {

constexpr const char* kGates = "gates";

GateRun read_gate(base::JsonMembers& parent, const base::Json& json, size_t index) {
  base::JsonMembers in(parent, json, parent.place_of(kGates) + "[" + std::to_string(index) + "]");
  GateRun gate;
  in.required("n", gate.n);
  in.required("command", gate.command);
  in.required("code", gate.code);
  in.optional("duration_ms", gate.duration_ms);
  in.optional("timed_out", gate.timed_out);
  in.optional("output", gate.output);
  return gate;
}

void read_members(base::JsonMembers& in, FoundChanges& changes) {
  in.optional("unknown", changes.unknown);
  in.required("head_moved", changes.head_moved);
  in.required("files", changes.files);
  in.optional("paths", changes.paths);
}

void read_members(base::JsonMembers& in, WorktreeEnd& worktree) {
  in.required("path", worktree.path);
  in.required("branch", worktree.branch);
  in.required("kept", worktree.kept);
  in.optional("why", worktree.why);
  in.optional("branch_kept", worktree.branch_kept);
}

}  // namespace

base::Json json_of(const std::vector<GateRun>& gates) {
  base::Json list = base::Json::array();
  for (const GateRun& gate : gates) {
    base::Json json = {{"n", gate.n},
                       {"command", gate.command},
                       {"code", gate.code},
                       {"duration_ms", gate.duration_ms},
                       {"timed_out", gate.timed_out}};
    if (!gate.output.empty()) json["output"] = gate.output;
    list.push_back(std::move(json));
  }
  return list;
}

base::Json json_of(const std::optional<FoundChanges>& changes) {
  if (!changes) return nullptr;
  return {{"unknown", base::or_null(changes->unknown)},
          {"head_moved", changes->head_moved},
          {"files", changes->files},
          {"paths", changes->paths}};
}

base::Json json_of(const std::optional<WorktreeEnd>& worktree) {
  if (!worktree) return nullptr;
  return {{"path", worktree->path},
          {"branch", worktree->branch},
          {"kept", worktree->kept},
          {"why", base::or_null(worktree->why)},
          {"branch_kept", worktree->branch_kept}};
}

void read_gates(base::JsonMembers& parent, std::vector<GateRun>& gates) {
  const base::Json* list = parent.find(kGates);
  if (list == nullptr) return;
  if (!list->is_array()) return parent.fail(kGates, "must be an array");
  for (size_t i = 0; i < list->size(); ++i) gates.push_back(read_gate(parent, (*list)[i], i));
}

void read_changes(base::JsonMembers& parent, std::optional<FoundChanges>& changes) {
  const base::Json* json = parent.find("changes");
  if (json == nullptr) return;
  base::JsonMembers in(parent, *json, parent.place_of("changes"));
  read_members(in, changes.emplace());
}

std::string to_json(const FoundChanges& changes) {
  return base::json_text(json_of(std::optional(changes)));
}

base::Result<FoundChanges> found_changes_from_json(std::string_view text) {
  base::JsonDocument document("changes", text);
  base::JsonMembers in(document);
  FoundChanges changes;
  read_members(in, changes);
  return document.finish(std::move(changes));
}

void read_worktree(base::JsonMembers& parent, std::optional<WorktreeEnd>& worktree) {
  const base::Json* json = parent.find("worktree");
  if (json == nullptr) return;
  base::JsonMembers in(parent, *json, parent.place_of("worktree"));
  read_members(in, worktree.emplace());
}

std::string to_json(const WorktreeEnd& worktree) {
  return base::json_text(json_of(std::optional(worktree)));
}

base::Result<WorktreeEnd> worktree_end_from_json(std::string_view text) {
  base::JsonDocument document("worktree", text);
  base::JsonMembers in(document);
  WorktreeEnd worktree;
  read_members(in, worktree);
  return document.finish(std::move(worktree));
}

}  // namespace orch::store
