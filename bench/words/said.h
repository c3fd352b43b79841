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

// What the model server sent while an agent was recorded, one text after the other with a line feed
// between them. Nothing where that is not known; "" where it is known that it sent none.
using Said = std::optional<std::string>;

// From the markers "said=TEXT", TEXT a JSON string; other markers say nothing. Any other value is a
// usage error.
base::Result<Said> said_in(const store::Cast& cast);

// Those whose agents may have been stopped before the model had said all that was scripted.
inline constexpr std::string_view kCutShort =
    "interrupt|disconnect|exit-ctrl-c|login|trust|resize|huge|reject|type-while-working";

// The scripts by which the model server spoke, for recordings without markers:
// FOLDER/<agent>/<scenario>.json belongs to every <agent>/<scenario>-COLSxROWS[-N].
class Scenarios {
 public:
  // Scenarios of which AGENT/NAME matches `exclude` (RE2) say nothing. The first folder that has a
  // scenario wins.
  static base::Result<Scenarios> in(std::vector<std::string> folders, const std::string& exclude);

  base::Result<Said> said_in(const accuracy::RecordingFile& file) const;

 private:
  Scenarios(std::vector<std::string> folders, base::Pattern excluded, base::Pattern name);

  std::vector<std::string> folders_;
  base::Pattern excluded_;
  base::Pattern name_;  // captures AGENT/SCENARIO of a recording's name
};

// The text of all steps: {"turns": [{"steps": [{"text": ..}, ..]}, ..]}. Steps of other kinds and
// turns without steps (errors) say nothing.
base::Result<std::string> text_of_scenario(std::string_view json);

}  // namespace orch::words
