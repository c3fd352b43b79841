#pragma once

#include <span>
#include <string_view>

namespace orch::fence {

// A folder in a home that an agent's tools need: programs, libraries, caches.
struct Toolchain {
  // Relative to the home. A folder in .cache, .config or .local/share moves with the XDG variables.
  std::string_view folder;
  std::string_view variable;  // names another place of the folder; "": there is none
  // The visible names in it, between blanks; "": all.
  std::string_view parts;
  // Files and folders in it with keys or tokens, between blanks. They are never seen.
  std::string_view credentials;
};
std::span<const Toolchain> toolchains();

// Settings files of tools, relative to the home. They may hold a token, so only files that
// is_plain() accepts are seen.
std::span<const std::string_view> settings_of_tools();

// The user's variables that name programs, libraries or caches: one path, or several between
// colons. Their paths in a home are seen.
std::span<const std::string_view> variables_of_tools();

// Whether there is certainly no key in a file of settings: only lines like "name = value" with
// short, ordinary values, headings, versions and blank lines.
bool is_plain(std::string_view text);

}  // namespace orch::fence
