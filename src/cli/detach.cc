#include "cli/detach.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "event/exit_reason.h"

namespace orch::cli {
namespace {

constexpr const char* kNowhere = "/dev/null";
constexpr int kMostWithoutProc = 1024;

// Opens `path` as descriptor `fd`, or /dev/null if that fails: the old file must be closed in any
// case, because a reader at its other end waits for that.
void redirect(int fd, const char* path, int flags) {
  base::Fd file(::open(path, flags | O_CLOEXEC, 0600));
  if (!file.valid()) file.reset(::open(kNowhere, O_RDWR | O_CLOEXEC));
  if (file.valid()) ::dup2(file.get(), fd);
}

// Closes the inherited descriptors except the standard three: the reader of a pipe among them would
// wait for us. Inherited ones lack close-on-exec; ours have it.
void close_inherited() {
  std::vector<int> inherited;
  const auto look_at = [&inherited](int fd) {
    const int flags = ::fcntl(fd, F_GETFD);
    if (fd > STDERR_FILENO && flags >= 0 && (flags & FD_CLOEXEC) == 0) inherited.push_back(fd);
  };
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failure)) {
    look_at(std::atoi(entry.path().filename().c_str()));
  }
  for (int fd = 0; failure && fd < kMostWithoutProc; ++fd) look_at(fd);
  for (const int fd : inherited) ::close(fd);
}

// Exits with the code that the background process sends, or 125 if it ends without sending one.
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
  close_inherited();
  redirect(STDIN_FILENO, kNowhere, O_RDONLY);
  return Background(std::move(write_end));
}

void Background::ready(int code, const std::string& log) {
  redirect(STDOUT_FILENO, kNowhere, O_WRONLY);
  redirect(STDERR_FILENO, log.empty() ? kNowhere : log.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  const auto byte = static_cast<unsigned char>(code);
  [[maybe_unused]] const ssize_t written = ::write(foreground_.get(), &byte, 1);
  foreground_.reset();
}

}  // namespace orch::cli
