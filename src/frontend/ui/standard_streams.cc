#include "ui/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/result.h"
#include "event/exit_reason.h"
#include "ui/runner_guard.h"

namespace orch::ui {
namespace {

struct Guarded {
  int fd;
  RunnerGuard guard;
  int error = 0;  // errno of the first write that failed
};

Guarded& guarded_output() {
  static Guarded out{STDOUT_FILENO, RunnerGuard(runner_here())};
  return out;
}

Guarded& guarded_error() {
  static Guarded error{STDERR_FILENO, RunnerGuard(runner_here())};
  return error;
}

bool sigpipe_was_ignored = false;

// Waits where the descriptor is non-blocking, as another process that has it open may have made it.
bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

ssize_t write_guarded(void* cookie, const char* bytes, size_t size) {
  auto* stream = static_cast<Guarded*>(cookie);
  if (write_all(stream->fd, stream->guard.pass({bytes, size}))) return static_cast<ssize_t>(size);
  if (stream->error == 0) stream->error = errno;
  return 0;  // which means an error: fopencookie(3)
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

[[noreturn]] void end_without_reader() {
  if (!sigpipe_was_ignored) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  ::_exit(128 + SIGPIPE);
}

}  // namespace

void open_closed_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // open(2) takes the lowest number that is free, which is this one.
    if (::open("/dev/null", O_RDWR) != fd) ::_exit(event::exit_code(event::ExitReason::kInternal));
  }
}

void guard_standard_streams() {
  sigpipe_was_ignored = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  std::signal(SIGXFSZ, SIG_IGN);
  guard(stdout, guarded_output(), ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  guard(stderr, guarded_error(), _IONBF);
}

void tell_runner(std::string_view command) { write_all(STDERR_FILENO, command); }

int take_output_error() {
  std::fflush(stdout);
  const int error = guarded_output().error;
  guarded_output().error = 0;
  std::clearerr(stdout);
  return error;
}

bool output_is_lost() {
  pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return guarded_output().error != 0 ||
         (::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0);
}

std::string output_error_text(int error) {
  return base::system_error("cannot write standard output", error).text;
}

int finish_standard_output(int code) {
  const int error = take_output_error();
  if (error == 0) return code;
  if (error == EPIPE) end_without_reader();
  std::fprintf(stderr, "orch: %s\n", output_error_text(error).c_str());
  return event::exit_code(event::ExitReason::kInternal);
}

}  // namespace orch::ui
