#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// These functions return whether code in another language, inside a command, is known to be
// harmless. Code that they do not understand is not.

// Whether every name in the code is known to do no harm: printing, arithmetic, reading files, JSON.
bool is_harmless_python(std::string_view text);
bool is_harmless_javascript(std::string_view text);

// Whether a script of sed or awk is harmless apart from the files that it writes; those are added
// to `written`.
bool is_harmless_sed(std::string_view text, std::vector<std::string>& written);
bool is_harmless_awk(std::string_view text, std::vector<std::string>& written);

}  // namespace orch::policy
