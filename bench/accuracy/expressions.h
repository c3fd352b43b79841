#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::accuracy {

// An RE2 expression of a manifest over what an agent draws.
struct PlacedExpression {
  // The names of the members and the ids of the objects around it: "dialogs.trust.title". Positions
  // in lists are left out, so that a new condition does not rename those after it.
  std::string place;
  std::string expression;
};

// All expressions of a manifest, given as JSON, that are matched against the screen and its
// signals: those of the box, the user's messages, rules, dialogs, transcript and pasted text. Every
// text in these members counts unless its name is known to hold something else, so that a new
// member of the format is not forgotten. Notices are left out: recordings do not hold what hooks
// say. A usage error if the text is not a JSON object.
base::Result<std::vector<PlacedExpression>> placed_expressions(std::string_view manifest);

}  // namespace orch::accuracy
