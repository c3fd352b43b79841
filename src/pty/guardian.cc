#include "pty/guardian.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "pty/containment.h"
#include "pty/guard_duty.h"
#include "pty/spawn.h"

extern char** environ;

namespace orch::pty {
namespace {

// Ours, but for the marks of runs around us: their end is not to be the guardian's.
std::vector<std::string> guardian_environment() {
  std::vector<std::string> env{std::string(kGuardianMark) + "=1"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name != kRunMark && name != kRunChain) env.emplace_back(variable);
  }
  return env;
}

}  // namespace

base::Result<std::unique_ptr<Guardian>> Guardian::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::system_error("start a guardian: pipe", errno);
  const base::Fd read_end(ends[0]);
  base::Fd write_end(ends[1]);
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nowhere.valid()) return base::system_error("start a guardian: open /dev/null", errno);
  if (::fcntl(write_end.get(), F_SETFL, O_NONBLOCK) != 0) {
    return base::system_error("start a guardian: pipe", errno);
  }
  const ChildStdio stdio{ChildStdio::Kind::kPipes, {read_end.get(), nowhere.get(), nowhere.get()}};
  const base::Result<pid_t> pid =
      spawn_child({"/proc/self/exe", "guardian"}, "/", guardian_environment(), stdio);
  if (!pid) return base::Error{pid.error().code, "start a guardian: " + pid.error().text};
  const std::optional<ProcessEntry> process = read_process(*pid);
  return std::unique_ptr<Guardian>(
      new Guardian(*pid, std::move(write_end), process ? process->start : 0));
}

Guardian::Guardian(pid_t pid, base::Fd pipe, uint64_t start)
    : pid_(pid), pipe_(std::move(pipe)), start_(start) {}

Guardian::~Guardian() {
  constexpr int kLooks = 100;  // it leaves within a millisecond or two
  constexpr timespec kPause{0, 1'000'000};
  pipe_.reset();
  for (int look = 0; look < kLooks && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++look) {
    ::nanosleep(&kPause, nullptr);
  }
}

void Guardian::watch(const Watched& run) { tell(watch_message(run)); }

void Guardian::release(const std::string& run) { tell(release_message(run)); }

void Guardian::tell(std::string message) {
  unsent_.push(std::move(message));
  if (!unsent_.flush(pipe_.get())) unsent_.clear();  // it is gone
}

size_t Guardian::end_strays(const loop::Loop& loop) const { return kill_strays(loop, start_); }

}  // namespace orch::pty
