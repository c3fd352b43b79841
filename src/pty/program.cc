#include "pty/program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/child.h"
#include "base/fd.h"
#include "base/text.h"

namespace orch::pty {
namespace {

using base::ErrorCode;

ErrorCode code_of(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
      return ErrorCode::kNotFound;
    case E2BIG:
      return ErrorCode::kSystem;
    case EAGAIN:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorCode::kShortage;
    default:  // permission, format, a file that is being written, ...
      return ErrorCode::kNotExecutable;
  }
}

base::Error program_error(std::string what, int errno_value) {
  base::Error error = base::system_error(std::move(what), errno_value);
  error.code = code_of(errno_value);
  return error;
}

// The errno that says why `file` cannot be executed, or 0.
int obstacle(const std::string& file, int directory) {
  struct stat status {};
  if (::fstatat(directory, file.c_str(), &status, 0) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return ::faccessat(directory, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

bool exists_as_file(const std::string& file, int directory) {
  struct stat status {};
  return ::fstatat(directory, file.c_str(), &status, 0) == 0 && !S_ISDIR(status.st_mode);
}

// The interpreter in the first line of a script: for "#! /usr/bin/env node" it is "/usr/bin/env".
std::string interpreter_of(const std::string& file, int directory) {
  const base::Fd fd(::openat(directory, file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 256> start{};  // as much as the kernel reads (BINPRM_BUF_SIZE)
  const ssize_t n = fd.valid() ? ::read(fd.get(), start.data(), start.size()) : -1;
  if (n < 2) return {};
  std::string_view line(start.data(), static_cast<size_t>(n));
  if (!line.starts_with("#!")) return {};
  line = line.substr(2, line.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return base::printable(line.substr(0, line.find_first_of(" \t")));
}

}  // namespace

base::Result<std::string> find_program(std::string_view name, std::string_view path,
                                       int directory) {
  if (name.find('/') != std::string_view::npos) {
    std::string file(name);
    const int error = obstacle(file, directory);
    if (error != 0) return program_error(base::printable(name), error);
    return file;
  }
  int denied = 0;
  for (bool more = !name.empty(); more;) {
    const size_t colon = path.find(':');
    const std::string_view entry = path.substr(0, colon);
    std::string file = std::string(entry.empty() ? "." : entry) + "/" + std::string(name);
    const int error = obstacle(file, directory);
    if (error == 0) return file;
    if (error == EACCES && exists_as_file(file, directory)) denied = error;
    more = colon != std::string_view::npos;
    if (more) path.remove_prefix(colon + 1);
  }
  return program_error(base::printable(name), denied != 0 ? denied : ENOENT);
}

base::Error exec_error(std::string_view name, const std::string& file, int directory,
                       int errno_value) {
  std::string what = base::printable(name);
  if (errno_value == ENOENT && exists_as_file(file, directory)) {
    const std::string interpreter = interpreter_of(file, directory);
    what += interpreter.empty() ? ": its interpreter or loader" : ": interpreter " + interpreter;
  }
  return program_error(std::move(what), errno_value);
}

base::Error become(const std::vector<std::string>& words) {
  const std::vector<char*> argv = base::pointers(words);
  ::execvp(argv[0], argv.data());
  return base::system_error(words.front(), errno);
}

}  // namespace orch::pty
