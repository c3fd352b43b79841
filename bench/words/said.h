#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/recordings.h"
#include "base/pattern.h"
#include "base/result.h"
#include "store/cast_reader.h"

namespace orch::words {

// The texts that the model server sent while an agent was recorded, with a line feed between two.
// nullopt if they are not known; "" if the server sent none.
using Said = std::optional<std::string>;

// Reads the markers "said=TEXT", where TEXT is a JSON string; other markers are skipped. Any other
// value is a usage error.
base::Result<Said> said_in(const store::Cast& cast);

// Matches scenarios in which the agent may have been stopped before the model had said everything.
inline constexpr std::string_view kCutShort =
    "interrupt|disconnect|exit-ctrl-c|login|trust|resize|huge|reject|type-while-working";

// The scripts that the model server played, for recordings without markers:
// FOLDER/<agent>/<scenario>.json belongs to every recording <agent>/<scenario>-COLSxROWS[-N].
class Scenarios {
 public:
  // Scenarios whose AGENT/NAME matches `exclude` (RE2) are not used. The first folder that has a
  // scenario wins.
  static base::Result<Scenarios> in(std::vector<std::string> folders, const std::string& exclude);

  base::Result<Said> said_in(const accuracy::RecordingFile& file) const;

 private:
  Scenarios(std::vector<std::string> folders, base::Pattern excluded, base::Pattern name);

  std::vector<std::string> folders_;
  base::Pattern excluded_;
  base::Pattern name_;  // captures AGENT/SCENARIO of a recording's name
};

// The text of all steps: {"turns": [{"steps": [{"text": ..}, ..]}, ..]}. Other kinds of steps, and
// turns without steps (errors), have no text.
base::Result<std::string> text_of_scenario(std::string_view json);

}  // namespace orch::words
