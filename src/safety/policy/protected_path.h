#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace orch::policy {

// Whether a file in a work directory makes other programs run commands: git's hooks and
// configuration, orch's own files, the settings of agents and editors. No policy allows writing
// there unless it overrides protected-write. kMaybe: the path may name one of these files or its
// folder.
enum class Protection : uint8_t { kNone, kMaybe, kProtected };

// The names of protected files, or of folders that hold some.
inline constexpr std::array<std::string_view, 16> kProtectedNames{
    ".git",          ".orch",    ".vscode",       ".idea",     ".claude", ".codex",
    ".gemini",       ".cursor",  ".qwen",         ".mcp.json", ".envrc",  ".bashrc",
    ".bash_profile", ".profile", ".bash_aliases", ".zshrc"};

// `path` is relative to the work directory and has no "." or ".."; it may have marks.
Protection protection_of(std::string_view path);

// Whether the value of a git configuration key names a program, a file with more configuration or a
// place to push to.
bool is_protected_git_key(std::string_view key);

}  // namespace orch::policy
