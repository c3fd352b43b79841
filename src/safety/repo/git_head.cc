#include "repo/git_head.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"

namespace orch::repo {
namespace {

constexpr size_t kMaxRefBytes = 4096;
constexpr size_t kMaxPackedBytes = size_t{16} << 20;
constexpr int kMostLinks = 5;  // references that name each other; git allows as many
constexpr std::string_view kLink = "ref: ";

bool is_commit(std::string_view text) {
  const auto is_digit = [](char c) { return base::is_digit(c) || (c >= 'a' && c <= 'f'); };
  const bool right_length = text.size() == 40 || text.size() == 64;  // of SHA-1 or SHA-256
  return right_length && std::all_of(text.begin(), text.end(), is_digit);
}

// Names like "refs/heads/main", which cannot lead out of the git directory.
bool is_reference(std::string_view name) {
  return name.starts_with("refs/") && name.find("..") == std::string_view::npos;
}

// Looks a reference up in packed-refs, whose lines are "<commit> <name>".
std::string packed(const std::string& git, std::string_view name, const GitReader& read) {
  const std::optional<std::string> text = read(git + "/packed-refs", kMaxPackedBytes);
  for (const std::string_view line : base::split_lines(text ? *text : std::string_view())) {
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.substr(blank + 1) != name) continue;
    if (is_commit(line.substr(0, blank))) return std::string(line.substr(0, blank));
  }
  return "";
}

}  // namespace

std::string git_head(const std::string& folder) {
  return git_head(git_folder_of(folder), git_file);
}

std::string git_head(const GitFolder& git, const GitReader& read) {
  if (git.own.empty() || git.common.empty()) return "";
  std::string name = "HEAD";
  for (int links = 0; links < kMostLinks; ++links) {
    // A linked worktree has some references of its own, HEAD among them, and shares the others.
    std::optional<std::string> text = read(git.own + "/" + name, kMaxRefBytes);
    if (!text) text = read(git.common + "/" + name, kMaxRefBytes);
    if (!text) return packed(git.common, name, read);
    const std::string_view value = base::trim(*text);
    if (is_commit(value)) return std::string(value);
    if (!value.starts_with(kLink) || !is_reference(value.substr(kLink.size()))) return "";
    name = value.substr(kLink.size());
  }
  return "";
}

}  // namespace orch::repo
