#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::adapters {

// The mistakes of a user's manifest, one line each, with the place in the file and the remedy:
// "mine.json:12:5: rule permission: when[0].match: fits every row; name words or signs of the rows
// that it means". Lines and columns (of characters) count from 1. A file that parse_manifest()
// refuses has its error alone. Of the others these are found, which it accepts: an id that two
// rules or notices share, patterns that fit every row, rules that never apply because an earlier
// one has the same conditions, and conditions on an input box that the manifest does not describe.
std::vector<std::string> lint_manifest(std::string_view json, std::string_view file);

}  // namespace orch::adapters
