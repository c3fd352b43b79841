#include "cli/runner_guard.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/github.h"
#include "cli/paths.h"

namespace orch::cli {
namespace {

constexpr size_t kLongest = std::string_view("section_start").size();

// GitHub's runner trims all white space of Unicode off before it looks for "::"; every byte that is
// not ASCII counts as such here.
bool is_trimmed(char c) { return static_cast<unsigned char>(c) <= ' ' || (c & '\x80') != 0; }

struct Guarded {
  int fd;
  RunnerGuard guard;
};

ssize_t write_guarded(void* cookie, const char* bytes, size_t size) {
  auto* stream = static_cast<Guarded*>(cookie);
  const std::string safe = stream->guard.pass({bytes, size});
  for (size_t done = 0; done < safe.size();) {
    const ssize_t n = ::write(stream->fd, safe.data() + done, safe.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return 0;  // fopencookie(3): an error
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(size);
}

void guard(FILE*& stream, Guarded& guarded, int buffering) {
  cookie_io_functions_t functions{};
  functions.write = write_guarded;
  FILE* const through = ::fopencookie(&guarded, "w", functions);
  if (through == nullptr) return;
  std::fflush(stream);
  std::setvbuf(through, nullptr, buffering, BUFSIZ);
  stream = through;
}

}  // namespace

Runner runner_here() {
  if (github::is_runner()) return Runner::kGithub;
  return environment("GITLAB_CI").empty() ? Runner::kNone : Runner::kGitlab;
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
  // Once a colon may begin a command the next byte decides.
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

void guard_standard_streams() {
  const Runner runner = runner_here();
  if (runner == Runner::kNone) return;
  static Guarded out{STDOUT_FILENO, RunnerGuard(runner)}, error{STDERR_FILENO, RunnerGuard(runner)};
  guard(stdout, out, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  guard(stderr, error, _IOLBF);
}

}  // namespace orch::cli
