#include "duties/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/fd.h"
#include "base/own_program.h"
#include "base/text.h"
#include "fence/door.h"
#include "fence/fence.h"
#include "fence/namespaces.h"
#include "pty/program.h"
#include "session/agent_fence.h"
#include "session/environment.h"
#include "store/atomic_file.h"
#include "store/file_io.h"

extern char** environ;

namespace orch::duties {
namespace {

constexpr size_t kMostPlanBytes = 4 << 20;
// Says that the namespaces have been made. The next words are inherited descriptors: of this
// binary, of a pipe that takes the news, and of standard error.
constexpr const char* kInside = "--inside";
constexpr size_t kWordsInside = 4;
// A file that bubblewrap was to cover, or to show, may vanish before it gets there (a socket, a
// temporary file): then it makes no namespaces, and is started again.
constexpr int kMostStarts = 10;
constexpr long kPauseNs = 5'000'000;  // after the first failure, and longer after each
// The longest that an agent waits for a snapshot that nobody has asked for.
constexpr const char* kUnaskedSeconds = "8";
// This very program, even if the file at its path has been replaced.
constexpr const char* kThisProgram = "/proc/self/exe";

// bubblewrap stands between the host and the agent, and must outlive the agent to report how it
// ended. These signals, which a terminal or the host sends to the whole process group, are for the
// agent alone.
constexpr std::array kForAgentAlone{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU};

int cannot(const std::string& why) {
  std::fprintf(stderr, "orch: launch: %s\r\n", why.c_str());
  return session::kCannotLaunch;
}

int become(const std::vector<std::string>& words) { return cannot(pty::become(words).text); }

void set_signals(void (*handler)(int)) {
  for (const int signum : kForAgentAlone) std::signal(signum, handler);
}

// Sets the agent's environment: nothing of orch's own (session/environment.h), plus the fence's
// additions. This process has only one thread, and becomes the agent.
void set_environment(const fence::Plan& plan) {
  static std::vector<std::string> entries;
  static std::vector<char*> pointers;
  entries = session::launched_environment(session::own_environment());
  pointers.reserve(entries.size() + 1);
  for (std::string& entry : entries) pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  environ = pointers.data();
  for (const auto& [name, value] : plan.env) {
    ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  for (const std::string& name : plan.unset) {
    ::unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  }
}

bool is_there(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Saves the work directory, unless that was done, or tried, before: this runs again if the agent is
// restarted, and for each of the run's checks. A file next to the snapshot tells the host what the
// snapshot lacks, or why there is none. Returns false if there is no snapshot although the plan
// needs one.
bool take_snapshot(const fence::Plan& plan) {
  if (plan.snapshot.empty()) return true;
  const std::string notes = plan.snapshot + ".txt", manifest = plan.snapshot + "/manifest";
  if (is_there(notes)) return is_there(manifest) || !plan.snapshot_needed;
  const pid_t child = ::fork();
  if (child == 0) {
    const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const base::Fd said(::open(notes.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    ::dup2(null.get(), STDIN_FILENO);
    ::dup2(null.get(), STDOUT_FILENO);
    ::dup2(said.get(), STDERR_FILENO);
    std::vector<std::string> words{kThisProgram,       base::kInternal, "snapshot",   "--work-dir",
                                   plan.work_dir.path, "--to",          plan.snapshot};
    if (!plan.snapshot_needed) words.insert(words.end(), {"--seconds", kUnaskedSeconds});
    for (const std::string& place : fence::closed_in_writable(plan)) {
      words.insert(words.end(), {"--closed", place});
    }
    ::_exit(become(words));
  }
  if (child > 0) base::end_of(child);
  return is_there(manifest) || !plan.snapshot_needed;
}

// Waits for a byte; false if nobody who could send it is left.
bool is_told(const base::Fd& from) {
  char byte = 0;
  ssize_t count = 0;
  while ((count = ::read(from.get(), &byte, 1)) < 0 && errno == EINTR) {
  }
  return count == 1;
}

// Ends as the child has ended.
[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int signum = WTERMSIG(status);
  std::signal(signum, SIG_DFL);
  ::raise(signum);
  ::_exit(session::kCannotLaunch);
}

// Becomes bubblewrap, which starts this program again inside namespaces. There its path may be
// missing, or name another file; hence the descriptor.
[[noreturn]] void become_bubblewrap(const fence::Plan& plan, const std::string& file,
                                    const std::vector<std::string>& command,
                                    const base::PipeEnds& begun, const base::PipeEnds& said) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int binary = ::open(kThisProgram, O_PATH);
  const int errors = ::dup(STDERR_FILENO), told = ::dup(begun.write.get());
  ::dup2(said.write.get(), STDERR_FILENO);
  if (binary < 0 || errors < 0 || told < 0) {
    ::_exit(cannot(base::system_error("a descriptor", errno).text));
  }
  const std::string fd = std::to_string(binary);
  std::vector<std::string> again{
      "/proc/self/fd/" + fd, base::kInternal,        "launch", kInside, fd,
      std::to_string(told),  std::to_string(errors), file,     "--"};
  again.insert(again.end(), command.begin(), command.end());
  ::_exit(become(fence::in_namespaces(plan, again)));
}

// Starts the command in namespaces, and ends as it does. Returns the exit code if they cannot be
// made.
int start_in_namespaces(const fence::Plan& plan, const std::string& file,
                        const std::vector<std::string>& command) {
  set_signals(SIG_IGN);
  std::signal(SIGCHLD, SIG_DFL);
  std::string why;
  for (int start = 1; start <= kMostStarts; ++start) {
    base::Result<base::PipeEnds> begun = base::open_pipe(), said = base::open_pipe();
    const pid_t child = begun && said ? ::fork() : -1;
    if (child < 0) return cannot(base::system_error("bubblewrap", errno).text);
    if (child == 0) become_bubblewrap(plan, file, command, *begun, *said);
    begun->write.reset();
    said->write.reset();
    if (is_told(begun->read)) end_as(base::end_of(child));
    why = base::read_to_end(said->read);
    const int status = base::end_of(child);
    if (WIFSIGNALED(status)) end_as(status);
    const timespec pause{0, kPauseNs * start};
    ::nanosleep(&pause, nullptr);
  }
  why = "the namespaces cannot be made: " + base::printable(base::trim(why));
  (void)store::write_file_unsynced(file + session::kWhyNotRaised, why);
  return cannot(why);
}

// Without the exit, as when a gate runs behind the agent, the process has no network at all.
void open_exit(const fence::Plan& plan) {
  if (plan.network.kind != fence::Network::Kind::kModel || plan.door.empty()) return;
  const base::Status open = fence::hand_out_exit(plan.door, plan.exit_port);
  if (!open) std::fprintf(stderr, "orch: launch: %s\r\n", open.error().text.c_str());
}

// Takes over from bubblewrap, and closes descriptors that only the start needed.
void arrive(std::span<const std::string> descriptors) {
  const int binary = std::atoi(descriptors[0].c_str()), begun = std::atoi(descriptors[1].c_str()),
            errors = std::atoi(descriptors[2].c_str());
  if (errors > STDERR_FILENO) ::dup2(errors, STDERR_FILENO);
  if (begun > STDERR_FILENO) {
    [[maybe_unused]] const ssize_t written = ::write(begun, "b", 1);
  }
  for (const int fd : {binary, begun, errors}) {
    if (fd > STDERR_FILENO) ::close(fd);
  }
}

}  // namespace

int run_launch(std::span<const std::string> arguments) {
  const bool inside = arguments.size() > kWordsInside && arguments.front() == kInside;
  if (inside) {
    arrive(arguments.subspan(1));
    arguments = arguments.subspan(kWordsInside);
  }
  if (arguments.size() < 3 || arguments[1] != "--") {
    return cannot("usage: orch internal launch PLAN -- COMMAND...");
  }
  const std::string& file = arguments[0];
  const base::Result<std::string> text = store::read_file(file, kMostPlanBytes);
  if (!text) return cannot(text.error().text);
  const base::Result<fence::Plan> plan = fence::plan_from_json(*text, file);
  if (!plan) return cannot(plan.error().text);
  const std::vector<std::string> command(arguments.begin() + 2, arguments.end());

  // The agent does not run without a snapshot: actions that a policy allows must be possible to
  // undo.
  if (!inside && !take_snapshot(*plan)) return cannot("there is no snapshot for orch undo");
  if (plan->layers.namespaces && !inside) return start_in_namespaces(*plan, file, command);
  set_signals(SIG_DFL);
  base::Status ready = fence::check_place(*plan);
  if (ready && inside) open_exit(*plan);
  if (ready) ready = fence::enter(*plan);
  if (!ready) return cannot(ready.error().text);
  set_environment(*plan);
  return become(command);
}

}  // namespace orch::duties
