#include "cli/detach.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "event/exit_reason.h"

namespace orch::cli {
namespace {

void redirect(int fd, const char* path, int flags) {
  const base::Fd file(::open(path, flags | O_CLOEXEC, 0600));
  if (file.valid()) ::dup2(file.get(), fd);
}

// What the background process says, or 125 when it ends without a word.
[[noreturn]] void wait_in_foreground(const base::Fd& background) {
  unsigned char code = 0;
  ssize_t count = 0;
  do {
    count = ::read(background.get(), &code, 1);
  } while (count < 0 && errno == EINTR);
  ::_exit(count == 1 ? code : event::exit_code(event::ExitReason::kInternal));
}

}  // namespace

base::Result<Background> Background::fork_background() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::system_error("create a pipe", errno);
  base::Fd read_end(ends[0]), write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return base::system_error("fork", errno);
  if (pid > 0) {
    write_end.reset();
    wait_in_foreground(read_end);
  }
  ::setsid();
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  return Background(std::move(write_end));
}

void Background::ready(int code, const std::string& log) {
  redirect(STDOUT_FILENO, "/dev/null", O_WRONLY);
  redirect(STDERR_FILENO, log.empty() ? "/dev/null" : log.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  const auto byte = static_cast<unsigned char>(code);
  [[maybe_unused]] const ssize_t written = ::write(foreground_.get(), &byte, 1);
  foreground_.reset();
}

}  // namespace orch::cli
