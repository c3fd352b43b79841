#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"

namespace orch::yaml {

// A value as one YAML document in block style, indented by two spaces for each level; read_yaml()
// reads it back unchanged, whatever its texts hold. A text of several lines becomes a block ("|")
// with each line indented, so that no line of it can look like a field of the document. A text that
// has characters that a reader would not see, or that YAML would change, is written in double
// quotes with escapes. Bytes that are not UTF-8 become U+FFFD.
std::string to_yaml(const base::Json& value);

// A text in double quotes, on one line.
std::string yaml_quoted(std::string_view text);

}  // namespace orch::yaml
