#pragma once

#include <string>
#include <string_view>

namespace orch::base {

// Puts `to` in the place of each `from`, which must not be empty. It does not search in what it put
// there.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// The text as one word of a POSIX shell: 'it'\''s'.
std::string shell_word(std::string_view text);

}  // namespace orch::base
