#pragma once

#include <string>
#include <string_view>

namespace orch::base {

// Replaces each `from`, which must not be empty, by `to`. It does not search in the replacements.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// The text as one word of a POSIX shell: 'it'\''s'.
std::string shell_word(std::string_view text);

}  // namespace orch::base
