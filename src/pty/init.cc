#include "pty/init.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include "base/log.h"
#include "base/own_program.h"
#include "loop/loop.h"
#include "loop/pidfd.h"
#include "pty/init_duty.h"
#include "pty/spawn.h"

namespace orch::pty {
namespace {

constexpr const char* kComponent = "init";
constexpr timeval kAnswerLook{0, 100'000};
constexpr int kAnswerLooks = 100;
// An init reports the agent's end within a millisecond or two if a processor is free.
constexpr int64_t kPatienceMs = 2000;

struct Ends {
  base::Fd ours, theirs;
};

base::Result<Ends> open_talk() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return base::system_error("start a run's init: socketpair", errno);
  }
  Ends talk{base::Fd(ends[0]), base::Fd(ends[1])};
  ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &kAnswerLook, sizeof kAnswerLook);
  return talk;
}

// Waits up to 0.1 s for a child that was asked to end.
void reap_soon(pid_t child) {
  constexpr int kLooks = 100;
  constexpr timespec kPause{0, 1'000'000};
  for (int look = 0; look < kLooks && ::waitpid(child, nullptr, WNOHANG) == 0; ++look) {
    ::nanosleep(&kPause, nullptr);
  }
}

// The first message of the init. The agent may run already, and may have stopped its init.
std::string hear_answer(const base::Fd& talk, pid_t init) {
  std::array<char, kMaxInitMessage> message;
  for (int look = 0; look < kAnswerLooks; ++look) {
    const ssize_t size = ::recv(talk.get(), message.data(), message.size(), 0);
    if (size > 0) return {message.data(), static_cast<size_t>(size)};
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) break;
    ::kill(init, SIGCONT);
  }
  return "";
}

ExitStatus exit_status_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child || WIFSIGNALED(status)) {
    return {0, WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL};
  }
  return {WEXITSTATUS(status), 0};
}

}  // namespace

std::vector<std::string> init_command() { return {"/proc/self/exe", base::kInternal, "init"}; }

bool is_init(std::string_view command_line) {
  using std::string_view_literals::operator""sv;
  const size_t program_end = command_line.find('\0');
  if (program_end == std::string_view::npos) return false;
  const std::string words = base::kInternal + std::string("\0init\0"sv);
  return command_line.substr(program_end + 1).starts_with(words);
}

base::Result<std::unique_ptr<Init>> Init::start(const std::vector<std::string>& command,
                                                const std::vector<std::string>& argv,
                                                const std::string& cwd,
                                                const std::vector<std::string>& env,
                                                const ChildStdio& stdio) {
  base::Result<Ends> talk = open_talk();
  if (!talk) return talk.error();
  std::vector<std::string> words = command;
  for (std::string& word : to_words({cwd, argv})) words.push_back(std::move(word));
  const ChildStdio around{ChildStdio::Kind::kPipes,
                          {talk->theirs.get(), stdio.fds[1], stdio.fds[2]}};
  const base::Result<pid_t> pid = spawn_child(words, "", env, around);
  if (!pid) return base::Error{pid.error().code, "start a run's init: " + pid.error().text};
  talk->theirs.reset();

  const base::Result<pid_t> agent = read_start_answer(hear_answer(talk->ours, *pid));
  if (!agent) {
    ::kill(*pid, SIGKILL);
    reap_soon(*pid);
    return agent.error();
  }
  return std::unique_ptr<Init>(new Init(identify(*pid), *agent, std::move(talk->ours)));
}

Init::Init(ProcessId id, pid_t agent, base::Fd talk)
    : id_(id), agent_(agent), talk_(std::move(talk)), agent_pidfd_(loop::open_pidfd(agent)) {
  base::log_debug(kComponent, "pid " + std::to_string(id.pid) + " holds the agent, pid " +
                                  std::to_string(agent));
}

Init::~Init() {
  if (id_.pid == 0) return;
  ::kill(id_.pid, kEndOrder);
  ::kill(id_.pid, SIGCONT);
  init_watch_.reset();
  if (loop_ != nullptr) {
    loop_->reap(id_.pid);
  } else {
    reap_soon(id_.pid);
  }
}

void Init::watch(loop::Loop& loop, std::function<void()> on_agent_ended) {
  loop_ = &loop;
  on_agent_ended_ = std::move(on_agent_ended);
  patience_.emplace(loop);
  talk_watch_.emplace(loop, std::move(talk_));
  talk_watch_->start(loop::kReadable, [this](int) { on_talk(); });
  if (agent_pidfd_.valid()) {
    agent_watch_.emplace(loop, std::move(agent_pidfd_));
    agent_watch_->start(loop::kReadable, [this](int) { on_agent_gone(); });
  }
  init_watch_.emplace(loop, id_.pid, [this] { on_init_ended(); });
}

void Init::hear() {
  std::array<char, kMaxInitMessage> message;
  const ssize_t size = ::recv(talk_watch_->get(), message.data(), message.size(), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    talk_watch_->stop();  // it is about to end; init_watch_ will notice
  } else if (const auto end = read_end({message.data(), static_cast<size_t>(size)})) {
    status_ = end;
  }
}

void Init::on_talk() {
  hear();
  if (status_) tell_agent_ended();
}

// The agent has ended. Its init is about to report how, unless the agent has stopped it.
void Init::on_agent_gone() {
  agent_watch_->stop();
  if (status_ || id_.pid == 0) return;
  ::kill(id_.pid, SIGCONT);
  patience_->start(kPatienceMs, [this] {
    base::log_warn(kComponent, "killed, because it did not report its agent's end");
    ::kill(id_.pid, SIGKILL);
  });
}

void Init::on_init_ended() {
  if (!status_) hear();  // there may be a last message
  ::waitpid(id_.pid, nullptr, 0);
  id_.pid = 0;
  init_watch_.reset();
  agent_watch_.reset();
  talk_watch_->stop();
  patience_->stop();
  if (agent_ == 0) return;
  if (status_) return tell_agent_ended();
  base::log_warn(kComponent, "died before its agent, which is killed");
  ::kill(agent_, SIGKILL);  // it is our child now, and not reaped yet
  orphan_watch_.emplace(*loop_, agent_, [this] { tell_agent_ended(); });
}

bool Init::look() {
  if (!on_agent_ended_) return true;
  if (id_.pid != 0) {
    hear();
    if (!status_) return false;
    tell_agent_ended();
    return true;
  }
  return orphan_watch_ && orphan_watch_->look();
}

void Init::tell_agent_ended() {
  patience_->stop();
  const auto on_agent_ended = std::exchange(on_agent_ended_, nullptr);
  if (on_agent_ended) on_agent_ended();
}

ExitStatus Init::reap_agent() {
  const pid_t agent = std::exchange(agent_, 0);
  orphan_watch_.reset();
  if (id_.pid == 0) return exit_status_of(agent);
  const ExitStatus status = status_.value_or(ExitStatus{0, SIGKILL});
  ::send(talk_watch_->get(), &kLetGo, sizeof kLetGo, MSG_DONTWAIT | MSG_NOSIGNAL);
  return status;
}

}  // namespace orch::pty
