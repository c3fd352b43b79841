#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "accuracy/expressions.h"
#include "accuracy/recordings.h"

namespace orch::accuracy {

// A moment of a recording.
struct Moment {
  std::string recording;  // "claude/plan-80x24"
  int64_t at_ms = 0;
  bool operator==(const Moment&) const = default;
};

// A dialog that the manifest's `dialogs` do not know, or a screen that no rule explains.
struct Unknown {
  std::string title;                 // the dialog's; "" for a screen
  std::vector<std::string> options;  // the dialog's, or the last rows of the screen
  Moment first;
  int64_t ms = 0;  // the longest time for which it stood, in milliseconds
};

// What an agent drew, held against its manifest. All texts are as drawn; control characters cannot
// occur in them.
struct Drift {
  // Each literal of the manifest's expressions as "PLACE: LITERAL", and the first moment at which
  // an expression of that place matched because of it; nullopt: never.
  std::map<std::string, std::optional<Moment>> literals;
  std::map<std::string, int64_t> rules;  // of each rule: how many looks at the screen it decided
  std::vector<Unknown> dialogs;          // that stood for kDialogStood or longer
  std::vector<Unknown> screens;          // for kScreenStood, and no rule or notice decided
  // Rows that no expression with a literal matches, with each word that has a digit as a 0.
  std::map<std::string, Moment> rows;
  int recordings = 0;
};

// In ms, for which a dialog or screen has to stand: shorter ones are drawn in passing. An agent
// that starts shows its interface for a second before it takes a message.
inline constexpr int64_t kDialogStood = 700, kScreenStood = 2'500;
inline constexpr size_t kMostRows = 5'000;  // of Drift::rows; a recording may hold a book

// Collects the drift of one agent over its recordings.
class DriftSearch {
 public:
  // `text` is the manifest as JSON and `manifest` the same text read; both must outlive the search.
  static base::Result<DriftSearch> of(std::string_view text, const adapters::Manifest& manifest);
  DriftSearch(DriftSearch&&) noexcept;
  ~DriftSearch();

  void see(const RecordingFile& file, const store::Cast& cast);
  Drift take();

 private:
  struct Parts;
  explicit DriftSearch(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// What is known of an agent's drawing.
struct Known {
  std::string version;            // of the agent, by which it was seen
  std::set<std::string> undrawn;  // literals that need not be drawn, as in Drift::literals
  // Titles of dialogs that need no kind, because a person has to answer; written like `rows`.
  std::set<std::string> dialogs;
  std::set<std::string> rows;  // rows that need no report, as in Drift::rows
};
using KnownAgents = std::map<std::string, Known>;

// Parses {AGENT: {"version": "2.1.332", "undrawn": [TEXT...], "dialogs": [TEXT...], "rows":
// [TEXT...]}}; each member may be missing. A usage error names the agent.
base::Result<KnownAgents> parse_known(std::string_view json);

// The faults of an agent, one line each: literals that were not drawn though `known` does not list
// them, and dialogs and screens that the manifest does not know. `before` is the drift of older
// recordings: a line says where a literal was drawn last.
std::vector<std::string> faults_of(const Drift& drift, const Known& known, const Drift* before);

// {AGENT: {"recordings": .., "literals": {..}, "rules": {..}, "dialogs": [..], "screens": [..],
// "rows": {..}, "faults": [..]}}
std::string to_json(const std::map<std::string, Drift>& agents,
                    const std::map<std::string, std::vector<std::string>>& faults);

}  // namespace orch::accuracy
