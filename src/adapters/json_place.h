#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::adapters {

// "12:5", the line and the column (of characters) of an offset in a text, both from 1.
std::string line_and_column(std::string_view text, size_t offset);

// The offset of a member in a JSON text that can be parsed. `way` is as in the errors of
// base::JsonMembers: "rules[3].when[0].match". A member that is missing is looked for no further:
// its object is the place.
size_t offset_of(std::string_view json, std::string_view way);

// A member whose object has another one of the same name, and its offset.
struct RepeatedMember {
  std::string name;
  size_t offset = 0;
};
std::vector<RepeatedMember> repeated_members(std::string_view json);

// Describes the first mistake in a text that is not JSON: "12:5: not valid JSON: ...".
std::string syntax_error(std::string_view text);

}  // namespace orch::adapters
