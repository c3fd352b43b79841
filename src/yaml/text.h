#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"

namespace orch::yaml {

// A value as one YAML document in block style, two spaces a level, which read_yaml() reads back as
// it was, whatever the texts in it hold. Text of several lines is a block ("|"), each of its lines
// indented, so that no line of it can look like a field of the document; where it holds what a
// reader would not see, or YAML would change, it stands in double quotes with escapes. Bytes that
// are not UTF-8 become U+FFFD.
std::string to_yaml(const base::Json& value);

// A text in double quotes, on one line.
std::string yaml_quoted(std::string_view text);

}  // namespace orch::yaml
