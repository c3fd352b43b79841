#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

// For tests of code that waits for an end that does not come.
namespace orch::tests {

// A process that traces another one, and never reaps it until it is destroyed. Whatever signal the
// traced process gets, it only becomes a zombie that its parent cannot reap, like a process that is
// frozen or waits for a disk. Tracing must be allowed: for root, and otherwise by PR_SET_PTRACER.
class Tracer {
 public:
  explicit Tracer(pid_t traced) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      ::signal(SIGCHLD, SIG_DFL);  // not a handler of the test's
      const char answer = ::ptrace(PTRACE_SEIZE, traced, nullptr, nullptr) == 0 ? 'y' : 'n';
      if (::write(ends[1], &answer, 1) == 1) ::pause();
      ::_exit(0);
    }
    ::close(ends[1]);
    char answer = 'n';
    traces_ = ::read(ends[0], &answer, 1) == 1 && answer == 'y';
    ::close(ends[0]);
  }
  ~Tracer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  bool traces() const { return traces_; }

 private:
  pid_t pid_ = 0;
  bool traces_ = false;
};

}  // namespace orch::tests
