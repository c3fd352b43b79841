#include "setup/paths.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

#include "base/author.h"
#include "base/fd.h"
#include "base/text.h"
#include "setup/own_programs.h"
#include "store/file_io.h"
#include "store/input.h"
#include "store/run_dir.h"

namespace orch::setup {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

// Whether there is something to read, the end included, before `until`.
bool has_input(Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return false;
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const auto most = std::min<int64_t>(left.count(), std::numeric_limits<int>::max());
    if (::poll(&input, 1, static_cast<int>(most)) != 0) return true;
  }
}

base::Error too_long(size_t max_bytes) {
  return base::usage_error("cannot read standard input: more than " + std::to_string(max_bytes) +
                           " bytes");
}

base::Result<std::string> read_standard_input(size_t max_bytes) {
  std::array<char, 16 << 10> chunk;
  std::string text;
  while (std::cin && text.size() <= max_bytes) {
    std::cin.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<size_t>(std::cin.gcount()));
  }
  if (text.size() > max_bytes) return too_long(max_bytes);
  return text;
}

// The same, but not for longer than most_ms: a pipe may stay open for ever.
base::Result<std::string> read_standard_input(size_t max_bytes, int64_t most_ms) {
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(most_ms);
  std::array<char, 16 << 10> chunk;
  std::string text;
  while (text.size() <= max_bytes) {
    if (!has_input(until)) {
      return base::usage_error(
          "standard input did not end within --timeout: close the pipe, or use --prompt-file");
    }
    const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<size_t>(n));
  }
  return too_long(max_bytes);
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

base::Result<std::string> state_dir_of(const std::optional<std::string>& argument) {
  base::Result<std::string> folder =
      store::state_dir({.argument = argument,
                        .orch_state_dir = environment("ORCH_STATE_DIR"),
                        .xdg_state_home = environment("XDG_STATE_HOME"),
                        .home = environment("HOME")});
  if (!folder) return folder;
  if (base::Status s = check_links(*folder); !s) {
    return base::usage_error("--state-dir: " + s.error().text);
  }
  base::know_state_dir(*folder);
  const base::Result<std::vector<std::string>> closed = store::close_state_dir(*folder);
  if (!closed) return closed.error();
  for (const std::string& line : *closed) {
    std::fprintf(stderr, "orch: %s\n", base::printable(line).c_str());
  }
  return folder;
}

base::Result<std::string> read_text(const std::string& path, size_t max_bytes,
                                    std::optional<int64_t> most_ms) {
  if (path == "-" && most_ms) return read_standard_input(max_bytes, *most_ms);
  if (path == "-") return read_standard_input(max_bytes);
  const base::Result<base::Fd> file = store::open_input(path);
  if (!file && file.error().code == base::ErrorCode::kUsage) return file.error();
  if (!file) return base::usage_error("cannot " + file.error().text);
  base::Result<std::string> text = store::read_open_file(*file, path, max_bytes);
  return text ? text : base::usage_error("cannot " + text.error().text);
}

std::string regular_file(const std::string& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return "";
  const fs::path file = fs::canonical(path, failure);
  return failure ? "" : file.string();
}

bool may_be_there(const std::string& path) {
  std::error_code failure;
  return fs::symlink_status(path, failure).type() != fs::file_type::not_found;
}

base::Result<std::string> resolve_folder(const std::string& path) {
  std::error_code failure;
  const fs::path folder = fs::canonical(path, failure);
  if (failure) return base::usage_error("folder " + path + ": " + failure.message());
  if (!fs::is_directory(folder, failure)) {
    return base::usage_error("folder " + path + ": Not a directory");
  }
  return folder.string();
}

std::string repository_of(const std::string& folder) {
  std::error_code failure;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", failure)) return at.string();
    if (at == at.root_path() || at.empty()) return folder;
  }
}

base::Result<client::Place> place_of(const std::optional<std::string>& state_dir) {
  base::Result<std::string> folder = state_dir_of(state_dir);
  if (!folder) return folder.error();
  client::Place place{std::move(folder).value(), "", ""};
  // Empty if the working directory was removed.
  if (base::Result<std::string> here = resolve_folder(".")) {
    place.repository = repository_of(*here);
    place.folder = std::move(here).value();
  }
  return place;
}

base::Result<std::string> own_path() {
  std::error_code failure;
  const fs::path path = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return base::system_error("/proc/self/exe (is /proc mounted?)", failure.value());
  return path.string();
}

}  // namespace orch::setup
