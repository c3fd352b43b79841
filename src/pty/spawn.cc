#include "pty/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/child.h"
#include "base/fd.h"
#include "base/text.h"
#include "pty/file_limit.h"
#include "pty/program.h"

namespace orch::pty {
namespace {

// The PATH that execvp uses if the environment has none (glibc, confstr(_CS_PATH)).
constexpr std::string_view kDefaultPath = "/bin:/usr/bin";
constexpr size_t kChildStackBytes = 64 * 1024;
// How long a child may take until exec, usually a millisecond. One that enters a frozen control
// group, or has its program on a disk that does not answer, would take for ever.
constexpr int kStartMs = 5'000;
// How long a child that was killed may take to end.
constexpr int kKilledMs = 8;
// For kernels before Linux 5.11 (no CLOSE_RANGE_CLOEXEC): our own descriptors are all
// close-on-exec, and inherited ones have low numbers.
constexpr int kInheritedDescriptors = 1024;

enum class Stage { kStdio, kTerminal, kDirectory, kExec };

struct Failure {
  Stage stage;
  int errno_value;
};

// All that the child needs, complete before it begins.
struct Order {
  const char* file;
  char* const* argv;
  char* const* env;
  ChildStdio::Kind kind;
  bool leads_session;
  const int* stdio;
  int directory;        // -1: none
  int entrance;         // of a control group; -1: none
  pid_t parent;         // the child ends with it; 0: it does not
  int death_signal;     // ... by this signal
  const rlimit* files;  // the limit of open files; null: ours
  int report;           // the descriptor to write a Failure to
};

// The child's side, up to exec. It runs in our memory while our thread waits for it and touches
// nothing, not even errno. So it makes only async-signal-safe calls and has no sanitizer
// instrumentation, whose marks on the borrowed stack would outlive it.
#define ORCH_CHILD_SIDE __attribute__((no_sanitize("address"), no_sanitize("undefined")))

ORCH_CHILD_SIDE bool take_stdio(const int* fds) {
  int high[3];  // copies above 2 first, because a source may be one of 0 to 2
  for (int i = 0; i < 3; ++i) {
    high[i] = ::fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
    if (high[i] < 0) return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (::dup2(high[i], i) < 0) return false;
  }
  return true;
}

ORCH_CHILD_SIDE void close_the_rest_on_exec() {
  // By its number, because glibc has it only from 2.34 on. (Linux has it from 5.11 on.)
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int fd = 3; fd < kInheritedDescriptors; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

ORCH_CHILD_SIDE void reset_signals() {
  struct sigaction action;
  action.sa_handler = SIG_DFL;
  action.sa_flags = 0;
  ::sigemptyset(&action.sa_mask);
  for (int signum = 1; signum < NSIG; ++signum) ::sigaction(signum, &action, nullptr);
  ::sigprocmask(SIG_SETMASK, &action.sa_mask, nullptr);
}

// False if the parent was gone before the child could be tied to it.
ORCH_CHILD_SIDE bool end_with(pid_t parent, int death_signal) {
  return ::prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) == 0 && ::getppid() == parent;
}

ORCH_CHILD_SIDE int child_side(void* argument) {
  const Order* order = static_cast<const Order*>(argument);
  Failure failure = {Stage::kStdio, 0};
  if (order->parent != 0 && !end_with(order->parent, order->death_signal)) return 126;
  if (order->leads_session) ::setsid();
  if (order->entrance >= 0) [[maybe_unused]]
    const ssize_t in = ::write(order->entrance, "0", 1);
  bool ok = take_stdio(order->stdio);
  if (ok && order->kind == ChildStdio::Kind::kTerminal) {
    failure.stage = Stage::kTerminal;
    ok = ::ioctl(0, TIOCSCTTY, 0) == 0;
  }
  if (ok && order->directory >= 0) {
    failure.stage = Stage::kDirectory;
    ok = ::fchdir(order->directory) == 0;
  }
  if (ok) {
    failure.stage = Stage::kExec;
    close_the_rest_on_exec();
    if (order->files != nullptr) ::setrlimit(RLIMIT_NOFILE, order->files);
    reset_signals();
    ::execve(order->file, order->argv, order->env);
  }
  failure.errno_value = errno;
  const ssize_t told = ::write(order->report, &failure, sizeof failure);
  return told == sizeof failure ? 127 : 126;
}

// Moves a descriptor above 2, because 0 to 2 are going to be replaced in the child.
base::Fd above_stdio(base::Fd fd) {
  if (!fd.valid() || fd.get() > 2) return fd;
  return base::Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

std::string_view path_in(const std::vector<std::string>& env) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& entry : env) {
    if (entry.starts_with(kName)) return std::string_view(entry).substr(kName.size());
  }
  return kDefaultPath;
}

bool any_nul(const std::vector<std::string>& strings) {
  for (const std::string& string : strings) {
    if (string.find('\0') != std::string::npos) return true;
  }
  return false;
}

std::optional<Failure> read_failure(int fd) {
  Failure failure{};
  ssize_t n = 0;
  do {
    n = ::read(fd, &failure, sizeof failure);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof failure) return std::nullopt;  // exec has closed the other end
  return failure;
}

// Waits for a child that shares our memory, until it has written a failure or closed the pipe. exec
// and exit close it after they have given up our memory.
bool await_exec(int failures) {
  pollfd told{failures, POLLIN, 0};
  return ::poll(&told, 1, kStartMs) == 1;
}

// False if the child has not ended yet. It will as soon as the kernel lets it, and does nothing
// before.
bool kill_and_reap(pid_t pid) {
  constexpr timespec kPause{0, 1'000'000};
  ::kill(pid, SIGKILL);
  for (int look = 0; look < kKilledMs; ++look) {
    if (::waitpid(pid, nullptr, WNOHANG) != 0) return true;
    ::nanosleep(&kPause, nullptr);
  }
  return false;
}

struct Born {
  pid_t pid = -1;
  int errno_value = 0;             // not 0: the child does not exist
  std::optional<Failure> failure;  // ... it has failed, and is reaped
};

// Uses clone() instead of vfork(): the child has a stack of its own and cannot overwrite our frame,
// and a child that does not reach exec holds us up for kStartMs at most; then it is killed (ETIME).
// Signals are blocked until then: a handler of ours would run in the child on our memory, and a
// call that a signal interrupts would set errno, which the child shares.
Born clone_child(Order& order, base::Fd report, int failures) {
  auto stack = std::make_unique_for_overwrite<std::byte[]>(kChildStackBytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  Born born;
  std::byte* top = stack.get() + kChildStackBytes;
  born.pid = ::clone(&child_side, top, CLONE_VM | SIGCHLD, &order);
  // An emulator that supports these flags only as vfork() uses them.
  if (born.pid < 0 && errno == EINVAL) {
    born.pid = ::clone(&child_side, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &order);
  }
  if (born.pid < 0) {
    born.errno_value = errno;
  } else {
    report.reset();
    if (!await_exec(failures)) {
      born.errno_value = ETIME;
    } else {
      born.failure = read_failure(failures);
    }
    const bool failed = born.errno_value != 0 || born.failure;
    if (failed && !kill_and_reap(born.pid)) {
      // The child may still be there and use its stack, so nobody else may get it.
      static std::vector<std::unique_ptr<std::byte[]>> kept;
      kept.push_back(std::move(stack));
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return born;
}

base::Error explain(const Failure& failure, const std::string& name, const std::string& cwd,
                    const std::string& file, int directory) {
  switch (failure.stage) {
    case Stage::kStdio:
      return base::system_error("spawn " + name + ": standard input and output",
                                failure.errno_value);
    case Stage::kTerminal:
      return base::system_error("spawn " + name + ": controlling terminal", failure.errno_value);
    case Stage::kDirectory: {
      base::Error error =
          base::system_error("spawn " + name + ": chdir " + cwd, failure.errno_value);
      if (error.code == base::ErrorCode::kSystem) error.code = base::ErrorCode::kUsage;
      return error;
    }
    case Stage::kExec:
      break;
  }
  base::Error error = exec_error(name, file, directory, failure.errno_value);
  error.text.insert(0, "spawn ");
  return error;
}

}  // namespace

base::Result<pid_t> spawn_child(const std::vector<std::string>& argv, const std::string& cwd,
                                const std::vector<std::string>& env, const ChildStdio& stdio,
                                int cgroup_entrance, ParentDeath parent_death, Leads leads) {
  if (argv.empty() || argv[0].empty()) return base::usage_error("spawn: no command is given");
  const std::string name = base::printable(argv[0]);
  if (any_nul(argv) || any_nul(env) || any_nul({cwd})) {
    return base::usage_error("spawn " + name + ": a NUL byte in its arguments or environment");
  }

  base::Fd directory;
  if (!cwd.empty()) {
    directory = above_stdio(base::Fd(::open(cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
    if (!directory.valid()) return explain({Stage::kDirectory, errno}, name, cwd, {}, AT_FDCWD);
  }
  const int from = directory.valid() ? directory.get() : AT_FDCWD;
  base::Result<std::string> file = find_program(argv[0], path_in(env), from);
  if (!file) return base::Error{file.error().code, "spawn " + file.error().text};

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::system_error("spawn " + name + ": pipe", errno);
  const base::Fd failures(ends[0]);
  base::Fd report = above_stdio(base::Fd(ends[1]));

  const std::vector<char*> argv_pointers = base::pointers(argv);
  const std::vector<char*> env_pointers = base::pointers(env);
  const std::optional<rlimit> files = original_file_limit();
  Order order{.file = file->c_str(),
              .argv = argv_pointers.data(),
              .env = env_pointers.data(),
              .kind = stdio.kind,
              .leads_session = leads == Leads::kSession,
              .stdio = stdio.fds.data(),
              .directory = directory.get(),
              .entrance = cgroup_entrance,
              .parent = parent_death == ParentDeath::kOutlive ? 0 : ::getpid(),
              .death_signal = parent_death == ParentDeath::kAskToEnd ? SIGTERM : SIGKILL,
              .files = files ? &*files : nullptr,
              .report = report.get()};
  const Born born = clone_child(order, std::move(report), failures.get());
  if (born.failure) return explain(*born.failure, name, cwd, *file, from);
  if (born.errno_value == 0) return born.pid;
  if (born.errno_value == ETIME) {
    return base::Error{base::ErrorCode::kSystem,
                       "spawn " + name + ": " + *file + " was not executed within " +
                           std::to_string(kStartMs / 1'000) + "s: the disk does not answer" +
                           (cgroup_entrance < 0 ? "" : ", or the run's control group is frozen")};
  }
  base::Error error = base::system_error("spawn " + name, born.errno_value);
  if (born.errno_value == EAGAIN) error.code = base::ErrorCode::kShortage;  // of processes
  return error;
}

}  // namespace orch::pty
