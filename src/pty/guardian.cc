#include "pty/guardian.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/own_program.h"
#include "pty/containment.h"
#include "pty/guard_duty.h"
#include "pty/run_mark.h"
#include "pty/spawn.h"

extern char** environ;

namespace orch::pty {
namespace {

const std::vector<std::string> kCommand{"/proc/self/exe", base::kInternal, "guardian"};

// This process's environment without the marks of runs around it, so that the guardian is not
// killed with those.
std::vector<std::string> guardian_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name != kRunMark && name != kRunChain) env.emplace_back(variable);
  }
  return env;
}

}  // namespace

std::string guardian_command_line() {
  std::string words;
  for (const std::string& word : kCommand) words.append(word).push_back('\0');
  return words;
}

base::Result<std::unique_ptr<Guardian>> Guardian::start(loop::Loop& loop) {
  if (!proc_is_ours()) {
    return base::Error{
        base::ErrorCode::kSystem,
        "start a guardian: /proc is not that of this pid namespace, so the processes "
        "of a run could not be found; mount it (unshare --mount-proc)"};
  }
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
  const base::Result<pid_t> pid = spawn_child(kCommand, "/", guardian_environment(), stdio);
  if (!pid) return base::Error{pid.error().code, "start a guardian: " + pid.error().text};
  base::log_info("guardian", "started, pid " + std::to_string(*pid));
  return std::make_unique<Guardian>(loop, identify(*pid), std::move(write_end));
}

Guardian::Guardian(loop::Loop& loop, ProcessId id, base::Fd pipe)
    : id_(id), pipe_(loop, std::move(pipe)), removal_(loop) {}

Guardian::~Guardian() {
  constexpr int kLooks = 100;  // it leaves within a millisecond or two
  constexpr timespec kPause{0, 1'000'000};
  removal_.try_all();
  if (!unsent_.empty()) send();
  pipe_.close();
  for (int look = 0; look < kLooks && ::waitpid(id_.pid, nullptr, WNOHANG) == 0; ++look) {
    ::nanosleep(&kPause, nullptr);
  }
}

void Guardian::watch(const Watched& run) { tell(watch_message(run)); }

void Guardian::watch_queue(const std::string& state_dir) { tell(queue_message(state_dir)); }

void Guardian::release(const std::string& run, std::string cgroup) {
  removal_.remove(std::move(cgroup), [this, run] { tell(release_message(run)); });
}

void Guardian::tell(std::string message) {
  unsent_.push(std::move(message));
  if (!pipe_.active()) send();  // otherwise the pipe is full
}

void Guardian::send() {
  if (!unsent_.flush(pipe_.get())) unsent_.clear();  // the guardian is gone
  if (unsent_.empty()) return pipe_.stop();
  if (!pipe_.active()) pipe_.start(loop::kWritable, [this](int) { send(); });
}

size_t Guardian::end_strays(const loop::Loop& loop) const { return kill_strays(loop, id_.start); }

}  // namespace orch::pty
