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

// The files and folders in a work directory that give orch and agents programs, hooks, plugins or
// permissions. A run also watches them.
inline constexpr std::array kAgentFiles{
    std::string_view(".orch"),
    std::string_view(".mcp.json"),
    std::string_view(".claude/settings.json"),
    std::string_view(".claude/settings.local.json"),
    std::string_view(".claude/hooks"),
    std::string_view(".codex/config.toml"),
    std::string_view(".codex/hooks.json"),
    std::string_view(".codex/rules"),
    std::string_view(".gemini/settings.json"),
    std::string_view(".gemini/extensions"),
    std::string_view(".gemini/hooks"),
    std::string_view(".gemini/commands"),
    std::string_view(".gemini/.env"),
    std::string_view(".qwen/settings.json"),
    std::string_view(".qwen/extensions"),
    std::string_view(".qwen/hooks"),
    std::string_view(".qwen/commands"),
    std::string_view(".qwen/.env"),
    std::string_view(".cursor/mcp.json"),
    std::string_view(".cursor/hooks.json"),
    std::string_view(".cursor/hooks"),
    std::string_view(".cursor/cli.json"),
    std::string_view(".opencode"),
    std::string_view("opencode.json"),
    std::string_view("opencode.jsonc"),
    std::string_view(".pi"),
    std::string_view(".copilot"),
    std::string_view(".github/hooks"),
    std::string_view(".kilo"),
    std::string_view(".kilocode"),
    std::string_view("kilo.json"),
    std::string_view("kilo.jsonc"),
    std::string_view(".kimi"),
    std::string_view(".kimi-code"),
    std::string_view(".continue"),
};

// The names of protected files and folders that begin with a dot, or of folders that hold some.
inline constexpr std::array<std::string_view, 24> kProtectedNames{
    ".git",          ".orch",    ".vscode",       ".idea",     ".claude",    ".codex",
    ".gemini",       ".cursor",  ".qwen",         ".mcp.json", ".envrc",     ".bashrc",
    ".bash_profile", ".profile", ".bash_aliases", ".zshrc",    ".opencode",  ".pi",
    ".copilot",      ".kilo",    ".kilocode",     ".kimi",     ".kimi-code", ".continue"};

// `path` is relative to the work directory and has no "." or ".."; it may have marks.
Protection protection_of(std::string_view path);

// Whether the value of a git configuration key names a program, a file with more configuration or a
// place to push to.
bool is_protected_git_key(std::string_view key);

}  // namespace orch::policy
