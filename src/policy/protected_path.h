#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace orch::policy {

// Files of a work directory by which other programs are told what to run: git's hooks and
// configuration, orch's own, the agents' and the editors' settings. No policy writes there unasked.
enum class Protection : uint8_t { kNone, kMaybe, kProtected };

// Their names, or those of folders that hold some.
inline constexpr std::array<std::string_view, 16> kProtectedNames{
    ".git",          ".orch",    ".vscode",       ".idea",     ".claude", ".codex",
    ".gemini",       ".cursor",  ".qwen",         ".mcp.json", ".envrc",  ".bashrc",
    ".bash_profile", ".profile", ".bash_aliases", ".zshrc"};

// `path` is relative to the work directory, without . and .., with marks.
Protection protection_of(std::string_view path);

// A key of git's configuration whose value names a program, a file of such keys or where to push.
bool is_protected_git_key(std::string_view key);

}  // namespace orch::policy
