#include "mux/pane_duty.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "base/child.h"
#include "base/fd.h"
#include "mux/pane_link.h"
#include "mux/pane_message.h"
#include "pty/spawn.h"

extern char** environ;

namespace orch::mux {
namespace {

constexpr int kNoHost = 125;

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

// Runs a command and waits for its end, with nothing to read and nowhere to write.
void run_to_end(const std::vector<std::string>& words) {
  if (words.empty()) return;
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  const int null = nowhere.get();
  const base::Result<pid_t> pid =
      pty::spawn_child(words, "", env, {pty::ChildStdio::Kind::kPipes, {null, null, null}});
  if (!pid) return;  // nobody is left to report to; the pane ends as the multiplexer wants
  base::end_of(*pid);
}

// Has a child process keep the terminal open until this process is gone. If tmux notices the end of
// the terminal first, it records that in utmp, and while libutempter waits for its helper, SIGCHLD
// is ignored. If this process ended in that moment, tmux would not notice, and a pane that is kept
// would never say how its agent ended.
void keep_terminal_beyond_our_end() {
  const pid_t ourselves = ::getpid();
  if (::fork() != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (::getppid() == ourselves) ::pause();
  ::_exit(0);
}

int end_as(pty::ExitStatus status) {
  if (status.signal == 0) return status.code;
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(status.signal, SIG_DFL);
  sigset_t just_this;
  ::sigemptyset(&just_this);
  ::sigaddset(&just_this, status.signal);
  ::sigprocmask(SIG_UNBLOCK, &just_this, nullptr);
  ::raise(status.signal);
  return 128 + status.signal;
}

class PaneDuty {
 public:
  PaneDuty(base::Fd host, base::Fd terminal)
      : host_(std::move(host)), terminal_(std::move(terminal)) {}

  int serve() {
    for (;;) {
      // A hangup is reported by poll(2) in any case.
      const short wanted = unprinted_.empty() ? 0 : POLLOUT;
      std::array<pollfd, 2> ready{{{host_.get(), POLLIN, 0}, {terminal_.get(), wanted, 0}}};
      if (::poll(ready.data(), ready.size(), -1) < 0) continue;
      if ((ready[1].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return 0;
      if ((ready[1].revents & POLLOUT) != 0) print();
      if (ready[0].revents == 0) continue;
      const std::optional<int> code = hear();
      if (code) return *code;
    }
  }

 private:
  std::optional<int> hear() {
    std::array<char, kMaxPacket> packet;
    const ssize_t size = ::recv(host_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
    if (size <= 0) {
      run_to_end(if_abandoned_);
      keep_terminal_beyond_our_end();
      return kNoHost;
    }
    std::optional<Order> order = order_in({packet.data(), static_cast<size_t>(size)});
    if (!order) return std::nullopt;
    switch (order->kind) {
      case Order::Kind::kIfAbandoned:
        if_abandoned_ = std::move(order->words);
        return std::nullopt;
      case Order::Kind::kPrint:
        for (const std::string& text : order->words) unprinted_ += text;
        return std::nullopt;
      case Order::Kind::kFinish:
        run_to_end(order->words);
        keep_terminal_beyond_our_end();
        return end_as(order->status);
    }
    return std::nullopt;
  }

  // Never waits: the terminal may not be read, and the host may have stopped its output.
  void print() {
    const ssize_t size = ::write(terminal_.get(), unprinted_.data(), unprinted_.size());
    if (size > 0) unprinted_.erase(0, static_cast<size_t>(size));
    if (size < 0 && errno != EAGAIN && errno != EINTR) unprinted_.clear();
  }

  base::Fd host_, terminal_;
  std::string unprinted_;
  std::vector<std::string> if_abandoned_;
};

int cannot(const char* what) {
  std::fprintf(stderr, "orch: pane: %s: %s\r\n", what, std::strerror(errno));
  return kNoHost;
}

}  // namespace

int serve_pane(const std::string& door) {
  ::prctl(PR_SET_NAME, "run-pane", 0, 0, 0);
  for (const int signum : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) {
    std::signal(signum, SIG_IGN);
  }
  base::Fd host = knock(door);
  if (!host.valid()) return cannot("reach the host");
  // A new open file description, so that nobody else shares its non-blocking mode.
  base::Fd terminal(
      ::open("/proc/self/fd/0", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));  // NOLINT(*-vararg)
  if (!terminal.valid() || ::isatty(STDIN_FILENO) == 0) return cannot("find the terminal");
  if (::ioctl(STDIN_FILENO, TIOCNOTTY) != 0) return cannot("give up the terminal");
  const Hello hello{variable("TMUX"), variable("TMUX_PANE"), variable("ZELLIJ_PANE_ID")};
  if (!hand_over(host, hello, STDIN_FILENO)) return cannot("hand over the terminal");
  [[maybe_unused]] const int moved = ::chdir("/");
  return PaneDuty(std::move(host), std::move(terminal)).serve();
}

}  // namespace orch::mux
