#include "policy/protected_path.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "policy/shell_text.h"

namespace orch::policy {
namespace {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : base::split(path, '/')) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

bool has_mark(std::string_view part) { return std::any_of(part.begin(), part.end(), is_mark); }

using Parts = std::vector<std::string_view>;

// The protection of a path in a folder .git; parts[at] is the first component in that folder.
Protection in_git(const Parts& parts, size_t at) {
  if (at == parts.size()) return Protection::kMaybe;
  const std::string_view first = parts[at];
  if (has_mark(first) || first.starts_with("config") ||
      is_one_of(first, {"hooks", "modules", "worktrees", "common", "commondir", "gitdir"})) {
    return Protection::kProtected;
  }
  const bool last = at + 1 == parts.size();
  if (first == "info") {
    return last || parts[at + 1] != "exclude" ? Protection::kProtected : Protection::kNone;
  }
  // What git does next, and where it pushes, stands in some of these.
  const bool counts = is_one_of(first, {"objects", "refs", "remotes", "branches", "rebase-merge",
                                        "rebase-apply", "sequencer"});
  return counts ? Protection::kMaybe : Protection::kNone;
}

// The protection that kAgentFiles gives a path whose component parts[at] begins one of their names.
Protection as_agent_file(const Parts& parts, size_t at) {
  Protection found = Protection::kNone;
  for (const std::string_view name : kAgentFiles) {
    const Parts file = parts_of(name);
    size_t same = 0;
    while (same < file.size() && at + same < parts.size() && parts[at + same] == file[same]) ++same;
    if (same == file.size()) return Protection::kProtected;
    // The folder itself, or an unknown file in it. Most of .github is for other programs.
    const bool ends = at + same == parts.size();
    const bool maybe = same > 0 && (ends ? file[0] != ".github" : has_mark(parts[at + same]));
    if (maybe) found = Protection::kMaybe;
  }
  return found;
}

}  // namespace

Protection protection_of(std::string_view path) {
  const std::string lower = base::lower(path);
  const Parts parts = parts_of(lower);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    const bool last = i + 1 == parts.size();
    if (part == ".git") return in_git(parts, i + 1);
    if (is_one_of(part, {".vscode", ".idea"})) return Protection::kProtected;
    const Protection as_file = as_agent_file(parts, i);
    if (as_file == Protection::kProtected) return as_file;
    if (is_one_of(part, {".claude", ".codex", ".gemini", ".cursor", ".qwen"})) {
      if (last) return Protection::kMaybe;
      const bool settings =
          parts[i + 1].starts_with("settings") || has_mark(parts[i + 1]) ||
          is_one_of(parts[i + 1], {"hooks", "config.toml", "hooks.json", "mcp.json", "plugins"});
      return settings ? Protection::kProtected : Protection::kNone;
    }
    if (last && is_one_of(part, {".envrc", ".bashrc", ".bash_profile", ".profile", ".bash_aliases",
                                 ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".bash_login",
                                 ".bash_logout", ".gitconfig"})) {
      return Protection::kProtected;
    }
    if (as_file != Protection::kNone) return as_file;
    // A pattern that begins with a dot may be any of these.
    if (part.starts_with('.') && has_mark(part)) return Protection::kMaybe;
  }
  return Protection::kNone;
}

bool is_protected_git_key(std::string_view key) {
  const std::string lower = base::lower(key);
  if (std::any_of(lower.begin(), lower.end(), is_mark)) return true;
  const size_t dot = lower.find('.');
  const std::string_view section = std::string_view(lower).substr(0, dot);
  const std::string_view name = std::string_view(lower).substr(lower.rfind('.') + 1);
  if (dot == std::string::npos) return true;
  if (is_one_of(section,
                {"user",    "color",  "advice", "commit", "log",    "status", "branch",    "fetch",
                 "pull",    "rerere", "rebase", "init",   "tag",    "author", "committer", "help",
                 "feature", "column", "safe",   "blame",  "format", "stash"})) {
    return is_one_of(
        name, {"remote", "pushremote", "templatedir", "signingkey", "mergeoptions", "uploadpack",
               "signaturefile", "outputdirectory", "twohead", "octopus"});
  }
  if (section == "core") {
    return !is_one_of(name, {"autocrlf", "eol", "filemode", "ignorecase", "quotepath", "safecrlf",
                             "longpaths", "precomposeunicode", "abbrev", "bare", "symlinks",
                             "untrackedcache", "preloadindex", "commentchar", "excludesfile"});
  }
  if (section == "http") return !is_one_of(name, {"postbuffer", "lowspeedlimit", "version"});
  if (section == "diff") {
    return !is_one_of(name, {"algorithm", "renames", "renamelimit", "colormoved", "mnemonicprefix",
                             "noprefix", "submodule", "wordregex", "context"});
  }
  if (section == "merge") return !is_one_of(name, {"conflictstyle", "ff", "renamelimit"});
  if (section == "push") return !is_one_of(name, {"autosetupremote", "followtags"});
  return true;
}

}  // namespace orch::policy
