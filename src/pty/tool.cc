#include "pty/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>

#include "base/child.h"
#include "base/fd.h"
#include "pty/spawn.h"

namespace orch::pty {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a process that the command left behind may keep its outputs open.
constexpr milliseconds kToolDrain{2'000};
// How often to look whether the command has ended while some process keeps its outputs open.
constexpr milliseconds kLook{100};
// A killed process ends within milliseconds, or never.
constexpr milliseconds kReap{3'000};

// A command that runs, and its output so far.
class Tool {
 public:
  Tool(pid_t pid, base::Fd out, base::Fd err, const ToolLimits& limits)
      : pid_(pid), out_(std::move(out)), err_(std::move(err)), limits_(limits) {}

  // False: the command does not even end after SIGKILL.
  bool wait(ToolEnd& end) {
    Clock::time_point until = Clock::now() + milliseconds(limits_.patience_ms);
    while (out_.valid() || err_.valid()) {
      if (!status_ && look()) until = std::min(until, Clock::now() + kToolDrain);
      const Clock::time_point now = Clock::now();
      if (now >= until) break;
      if (!read_some(end, std::min<milliseconds>(kLook, left(now, until)))) {
        end.too_long = true;
        break;
      }
    }
    if (!status_ && !end.too_long) reap_until(until);
    if (!status_) {
      end.timed_out = !end.too_long;
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL);
      reap_until(Clock::now() + kReap);
    }
    if (!status_) return false;
    end.code = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
    end.ok = end.code == 0 && !end.timed_out && !end.too_long;
    return true;
  }

 private:
  static milliseconds left(Clock::time_point now, Clock::time_point until) {
    return std::chrono::ceil<milliseconds>(until - now);
  }

  bool look() {
    int status = 0;
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) status_ = status;
    if (ended < 0 && errno == ECHILD) status_ = 0;
    return status_.has_value();
  }

  void reap_until(Clock::time_point until) {
    constexpr timespec kPause{0, 1'000'000};
    while (!look() && Clock::now() < until) ::nanosleep(&kPause, nullptr);
  }

  // Reads the output that has come, or waits for some; false: it was too much.
  bool read_some(ToolEnd& end, milliseconds patience) {
    std::array<pollfd, 2> ready{{{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), static_cast<int>(patience.count())) <= 0) return true;
    return (ready[0].revents == 0 || read(out_, end.output)) &&
           (ready[1].revents == 0 || read(err_, end.errors));
  }

  bool read(base::Fd& pipe, std::string& into) const {
    std::array<char, 16 << 10> buffer;
    const ssize_t size = ::read(pipe.get(), buffer.data(), buffer.size());
    if (size == 0 || (size < 0 && errno != EINTR)) pipe.reset();
    return size <= 0 || add_output(limits_, {buffer.data(), static_cast<size_t>(size)}, into);
  }

  pid_t pid_;
  base::Fd out_, err_;
  const ToolLimits& limits_;
  std::optional<int> status_;
};

}  // namespace

bool add_output(const ToolLimits& limits, std::string_view bytes, std::string& output) {
  const size_t room = limits.bytes - std::min(limits.bytes, output.size());
  output += bytes.substr(0, room);
  return bytes.size() <= room;
}

std::string why_unanswered(std::string_view name, const ToolEnd& end, const ToolLimits& limits) {
  if (end.timed_out) {
    return std::string(name) + " gave no answer within " +
           std::to_string(limits.patience_ms / 1'000) + " s";
  }
  if (end.too_long) {
    return std::string(name) + " answered with more than " + std::to_string(limits.bytes >> 10) +
           " kB, which is not read";
  }
  return "";
}

base::Result<ToolEnd> run_tool(const std::vector<std::string>& argv,
                               const std::vector<std::string>& env, const ToolLimits& limits,
                               ErrorOutput error_output) {
  base::Result<base::PipeEnds> out = base::open_pipe();
  if (!out) return out.error();
  base::PipeEnds err;
  if (error_output == ErrorOutput::kSeparate) {
    base::Result<base::PipeEnds> pipe = base::open_pipe();
    if (!pipe) return pipe.error();
    err = std::move(pipe).value();
  }
  const base::Fd nowhere(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int err_fd = err.write.valid() ? err.write.get() : out->write.get();
  const base::Result<pid_t> pid = spawn_child(
      argv, "", env, {ChildStdio::Kind::kPipes, {nowhere.get(), out->write.get(), err_fd}});
  if (!pid) return pid.error();
  out->write.reset();
  err.write.reset();
  ToolEnd end;
  if (!Tool(*pid, std::move(out->read), std::move(err.read), limits).wait(end)) {
    return base::Error{base::ErrorCode::kSystem, argv.front() + " does not end after SIGKILL"};
  }
  return end;
}

}  // namespace orch::pty
