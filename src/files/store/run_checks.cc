#include "store/run_checks.h"

#include "base/json_writer.h"
#include "store/run_checks_fields.h"

namespace orch::store {

std::string changes_text(const FoundChanges& changes) {
  std::string text = changes.head_moved ? "another commit" : "";
  if (changes.files > 0) {
    text += (text.empty() ? "" : ", ") + std::to_string(changes.files) +
            (changes.files == 1 ? " file" : " files");
  }
  if (!changes.unknown.empty()) {
    text += (text.empty() ? "" : "; ") + ("not known: " + changes.unknown);
  }
  return text.empty() ? "nothing" : text;
}

std::string to_json(const FoundChanges& changes) {
  return base::json_text(base::object_of(changes, kChangesFields));
}

base::Result<FoundChanges> found_changes_from_json(std::string_view text) {
  return base::record_of<FoundChanges>("changes", text, kChangesFields);
}

std::string to_json(const WorktreeEnd& worktree) {
  return base::json_text(base::object_of(worktree, kWorktreeFields));
}

base::Result<WorktreeEnd> worktree_end_from_json(std::string_view text) {
  return base::record_of<WorktreeEnd>("worktree", text, kWorktreeFields);
}

}  // namespace orch::store
