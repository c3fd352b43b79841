#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::policy {

// Programs in other languages that stand in a command. Each says whether a text is understood as
// harmless; what it does not know it does not call harmless.

// Every name in it is known to do no harm: printing, arithmetic, reading files, JSON.
bool is_harmless_python(std::string_view text);
bool is_harmless_javascript(std::string_view text);
// "s/a/b/g", "print if /x/" and the like.
bool is_harmless_perl(std::string_view text);

// A script of sed or awk; the files that it writes are added to `written`.
bool is_harmless_sed(std::string_view text, std::vector<std::string>& written);
bool is_harmless_awk(std::string_view text, std::vector<std::string>& written);

}  // namespace orch::policy
