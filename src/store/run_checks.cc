#include "store/run_checks.h"

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

}  // namespace orch::store
