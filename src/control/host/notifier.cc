#include "host/notifier.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/child.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/own_program.h"
#include "pty/spawn.h"

namespace orch::host {
namespace {

constexpr size_t kMostAtOnce = 4;
// Events; further ones are dropped while the command is too slow.
constexpr size_t kMostWaiting = 64;

}  // namespace

Notifier::Notifier(loop::Loop& loop, std::string command, std::vector<std::string> environment)
    : loop_(loop), command_(std::move(command)), environment_(std::move(environment)) {}

Notifier::~Notifier() = default;

void Notifier::tell(std::string_view json) {
  const std::string line = std::string(json) + "\n";
  if (running_.size() < kMostAtOnce) return start(line);
  if (waiting_.size() < kMostWaiting) {
    waiting_.push_back(line);
  } else {
    base::log_warn("notify",
                   "an event was not reported: " + std::to_string(kMostWaiting) + " wait");
  }
}

void Notifier::start(const std::string& lines) {
  const base::Result<pid_t> pid = spawn(lines);
  if (!pid) return base::log_warn("notify", pid.error().text);
  const auto on_end = [this, pid = *pid] { on_ended(pid); };
  running_.push_back({*pid, std::make_unique<loop::ChildWatch>(loop_, *pid, on_end)});
}

base::Result<pid_t> Notifier::spawn(const std::string& lines) const {
  const base::Fd input = base::memory_file(lines);
  if (!input.valid()) return base::system_error("create a file in memory", errno);
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nowhere.valid()) return base::system_error("open /dev/null", errno);
  return pty::spawn_child(
      {"/proc/self/exe", base::kInternal, "notify", command_}, "", environment_,
      {pty::ChildStdio::Kind::kPipes, {input.get(), nowhere.get(), nowhere.get()}});
}

void Notifier::on_ended(pid_t pid) {
  ::waitpid(pid, nullptr, 0);
  std::erase_if(running_, [pid](const Duty& duty) { return duty.pid == pid; });
  if (!waiting_.empty()) {
    const std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    start(line);
  }
  if (running_.empty() && on_left_) std::exchange(on_left_, nullptr)();
}

void Notifier::leave(std::function<void()> on_left) {
  std::string lines;
  for (const std::string& line : std::exchange(waiting_, {})) lines += line;
  if (!lines.empty()) start(lines);
  if (::getpid() != 1 || running_.empty()) return on_left();
  on_left_ = std::move(on_left);
}

}  // namespace orch::host
