#include "mux/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/fd.h"
#include "base/own_program.h"
#include "base/text.h"
#include "pty/spawn.h"

namespace orch::mux {
namespace {

// Reaps a command that has closed its output or was killed: it ends within milliseconds, or never.
bool reap(pid_t pid, int& status) {
  constexpr int kLooks = 1'000;
  constexpr timespec kPause{0, 1'000'000};
  for (int look = 0; look < kLooks; ++look) {
    if (::waitpid(pid, &status, WNOHANG) != 0) return true;
    ::nanosleep(&kPause, nullptr);
  }
  ::kill(pid, SIGKILL);
  return ::waitpid(pid, &status, WNOHANG) != 0;
}

}  // namespace

base::Result<Answered> run_tool(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{5};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::system_error("open a pipe", errno);
  const base::Fd read_end(ends[0]);
  base::Fd write_end(ends[1]);
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const int said = write_end.get();
  std::vector<std::string> words = argv;
  if (words.front().find('/') == std::string::npos) {
    base::Result<std::string> program = base::own_program(words.front());
    if (!program) return program.error();
    words.front() = std::move(program).value();
  }
  const base::Result<pid_t> pid = pty::spawn_child(
      words, "", env, {pty::ChildStdio::Kind::kPipes, {nowhere.get(), said, said}});
  if (!pid) return pid.error();
  write_end.reset();
  Answered answered;
  const Clock::time_point until = Clock::now() + kPatience;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ready{read_end.get(), POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) {
      ::kill(*pid, SIGKILL);
      break;
    }
    std::array<char, 4096> buffer;
    const ssize_t size = ::read(read_end.get(), buffer.data(), buffer.size());
    if (size == 0 || (size < 0 && errno != EINTR)) break;
    if (size > 0) answered.said.append(buffer.data(), static_cast<size_t>(size));
  }
  int status = 0;
  if (!reap(*pid, status)) {
    return base::Error{base::ErrorCode::kSystem,
                       base::printable(argv.front()) + " does not end after SIGKILL"};
  }
  answered.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return answered;
}

}  // namespace orch::mux
