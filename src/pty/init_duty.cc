#include "pty/init_duty.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/fd.h"
#include "pty/containment.h"
#include "pty/spawn.h"

extern char** environ;

namespace orch::pty {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGranted{2000};  // as much as the guardian grants
constexpr std::chrono::milliseconds kByForce{6000};
constexpr std::chrono::milliseconds kPause{1};

// The beginning of every message, before its text.
struct Head {
  enum class Kind : int32_t { kStarted, kNotStarted, kEnded } kind;
  int32_t first = 0;   // a pid, an error code, or an exit code
  int32_t second = 0;  // the signal that killed the agent
};

std::string message_of(const Head& head, std::string_view text = {}) {
  std::string message(reinterpret_cast<const char*>(&head), sizeof head);
  return message.append(text.substr(0, kMaxInitMessage - sizeof head));
}

std::optional<Head> head_of(std::string_view message) {
  Head head{};
  if (message.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, message.data(), sizeof head);
  return head;
}

// Not named orch, like the guardian, so that `pkill -9 orch` does not kill it before its host. A
// stopped process does not end before SIGCONT, so the kernel is asked to send that when the host
// dies.
base::Fd become_init() {
  ::prctl(PR_SET_NAME, "run-init", 0, 0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  sigset_t all, heard;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGCONT, 0, 0, 0);
  ::sigemptyset(&heard);
  for (const int signum : {SIGCHLD, SIGCONT, kEndOrder}) ::sigaddset(&heard, signum);
  return base::Fd(::signalfd(-1, &heard, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  return env;
}

// Lets go of the terminal, the pipe and the folder: a terminal or pipe is at its end only when
// nobody has it open, and a folder that is in use cannot be unmounted.
void leave(int place) {
  const base::Fd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {place, STDERR_FILENO}) {
    if (!nowhere.valid() || ::dup2(nowhere.get(), fd) < 0) ::close(fd);
  }
  [[maybe_unused]] const int moved = ::chdir("/");
}

class InitDuty {
 public:
  InitDuty(int talk, const base::Fd& signals, pid_t host, pid_t agent)
      : talk_(talk), signals_(signals), host_(host), agent_(agent) {}

  void serve() {
    while (phase_ == Phase::kServing) {
      std::array<pollfd, 2> ready{{{signals_.get(), POLLIN, 0}, {talk_, POLLIN, 0}}};
      ::poll(ready.data(), ready.size(), -1);
      hear_signals();
      hear_host();
      if (phase_ == Phase::kServing) reap();
    }
    if (phase_ == Phase::kAbandoned) grant();
    end_all();
  }

 private:
  enum class Phase { kServing, kAbandoned, kToldToEnd };

  // Only the kernel can set SI_USER together with the sender's pid (rt_sigqueueinfo(2)).
  void hear_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      const bool from_host =
          info.ssi_code == SI_USER && info.ssi_pid == static_cast<uint32_t>(host_);
      if (static_cast<int>(info.ssi_signo) == kEndOrder && from_host) phase_ = Phase::kToldToEnd;
    }
  }

  void hear_host() {
    char order = 0;
    const ssize_t size = ::recv(talk_, &order, 1, MSG_DONTWAIT);
    const bool at_end = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
    if (size == 1 && order == kLetGo) agent_ = 0;
    if (phase_ == Phase::kServing && (at_end || ::getppid() != host_)) phase_ = Phase::kAbandoned;
  }

  // Reaps ended children, but not the agent: its end is reported to the host, and it is kept as
  // long as the host may use its pid. False if no child is left.
  bool reap() {
    for (;;) {
      siginfo_t ended{};
      if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != ECHILD;
      if (ended.si_pid == 0) return true;
      if (ended.si_pid == agent_) {
        tell_end(ended);
        return true;
      }
      ::waitpid(ended.si_pid, nullptr, 0);
    }
  }

  void tell_end(const siginfo_t& ended) {
    if (told_) return;
    told_ = true;
    const bool by_itself = ended.si_code == CLD_EXITED;
    const std::string message =
        end_message(by_itself ? ExitStatus{ended.si_status, 0} : ExitStatus{0, ended.si_status});
    ::send(talk_, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void grant() {
    agent_ = 0;
    const Clock::time_point until = Clock::now() + kGranted;
    while (reap() && Clock::now() < until) std::this_thread::sleep_for(kPause);
  }

  // A child that is not reaped goes to the host: that is its agent, which it has not let go.
  void end_all() {
    const Clock::time_point until = Clock::now() + kByForce;
    while (!has_no_living_child(::getpid()) &&
           kill_children([](const ProcessEntry&) { return true; }) > 0 && Clock::now() < until) {
      std::this_thread::sleep_for(kPause);
    }
    while (reap() && agent_ != 0 && !told_ && Clock::now() < until) {
      std::this_thread::sleep_for(kPause);
    }
  }

  int talk_;
  const base::Fd& signals_;
  pid_t host_;
  pid_t agent_;  // 0: the host has let it go
  bool told_ = false;
  Phase phase_ = Phase::kServing;
};

}  // namespace

std::vector<std::string> to_words(const InitOrder& order) {
  std::vector<std::string> words{order.cwd, "--"};
  words.insert(words.end(), order.argv.begin(), order.argv.end());
  return words;
}

std::optional<InitOrder> order_in(std::span<const std::string> words) {
  if (words.size() < 3 || words[1] != "--") return std::nullopt;
  return InitOrder{words[0], {words.begin() + 2, words.end()}};
}

std::string start_answer(const base::Result<pid_t>& started) {
  if (started) return message_of({Head::Kind::kStarted, *started});
  const base::Error& error = started.error();
  return message_of({Head::Kind::kNotStarted, static_cast<int32_t>(error.code)}, error.text);
}

base::Result<pid_t> read_start_answer(std::string_view message) {
  const std::optional<Head> head = head_of(message);
  if (!head) return base::Error{base::ErrorCode::kSystem, "start a run's init: it does not answer"};
  if (head->kind == Head::Kind::kStarted) return pid_t{head->first};
  return base::Error{static_cast<base::ErrorCode>(head->first),
                     std::string(message.substr(sizeof *head))};
}

std::string end_message(ExitStatus end) {
  return message_of({Head::Kind::kEnded, end.code, end.signal});
}

std::optional<ExitStatus> read_end(std::string_view message) {
  const std::optional<Head> head = head_of(message);
  if (!head || head->kind != Head::Kind::kEnded) return std::nullopt;
  return ExitStatus{head->first, head->second};
}

void serve_as_init(int talk, int place, const InitOrder& order) {
  const pid_t host = ::getppid();
  const base::Fd signals = become_init();
  using Kind = ChildStdio::Kind;
  const ChildStdio stdio = ::isatty(place) != 0
                               ? ChildStdio{Kind::kTerminal, {place, place, place}}
                               : ChildStdio{Kind::kPipes, {place, place, STDERR_FILENO}};
  const base::Result<pid_t> agent =
      spawn_child(order.argv, order.cwd, whole_environment(), stdio, -1, ParentDeath::kDieToo);
  const std::string answer = start_answer(agent);
  ::send(talk, answer.data(), answer.size(), MSG_NOSIGNAL);
  if (!agent) return;
  leave(place);
  InitDuty(talk, signals, host, *agent).serve();
}

}  // namespace orch::pty
