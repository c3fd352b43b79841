#include "store/run_checks.h"

#include <algorithm>

namespace orch::store {

std::string gates_text(const std::vector<GateRun>& gates) {
  if (gates.empty()) return "";
  const auto passed = std::count_if(gates.begin(), gates.end(), [](const GateRun& gate) {
    return gate.code == 0 && !gate.timed_out;
  });
  return std::to_string(passed) + " of " + std::to_string(gates.size()) + " passed";
}

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
