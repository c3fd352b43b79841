#include "ui/runner_guard.h"

#include <cstdlib>

namespace orch::ui {
namespace {

constexpr size_t kLongest = std::string_view("section_start").size();

// GitHub's runner trims all Unicode white space before it looks for "::"; here every byte that is
// not ASCII counts as white space.
bool is_trimmed(char c) { return static_cast<unsigned char>(c) <= ' ' || (c & '\x80') != 0; }

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

Runner runner_here() {
  if (value_of("GITHUB_ACTIONS") == "true") return Runner::kGithub;
  return value_of("GITLAB_CI").empty() ? Runner::kNone : Runner::kGitlab;
}

bool RunnerGuard::begins_command(char next) const {
  switch (runner_) {
    case Runner::kNone:
      return false;
    case Runner::kGithub:
      return (next == '[' && line_end_.ends_with("##")) ||
             (next == ':' && at_start_ && line_end_.ends_with(':'));
    case Runner::kGitlab:
      return next == ':' &&
             (line_end_.ends_with("section_start") || line_end_.ends_with("section_end"));
  }
  return false;
}

void RunnerGuard::remember(char c) {
  if (c == '\n' || c == '\r') {
    line_end_.clear();
    at_start_ = true;
    return;
  }
  // After a colon that may begin a command, the next byte decides.
  if (at_start_ && (line_end_.ends_with(':') || (!is_trimmed(c) && c != ':'))) at_start_ = false;
  line_end_ += c;
  if (line_end_.size() > 2 * kLongest) line_end_.erase(0, kLongest);
}

std::string RunnerGuard::pass(std::string_view bytes) {
  if (runner_ == Runner::kNone) return std::string(bytes);
  std::string safe;
  safe.reserve(bytes.size() + 8);
  for (const char c : bytes) {
    if (begins_command(c)) {
      safe += ' ';
      remember(' ');
    }
    safe += c;
    remember(c);
  }
  return safe;
}

}  // namespace orch::ui
