#include "duties/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/path.h"
#include "fence/fence.h"
#include "fence/namespaces.h"
#include "pty/program.h"
#include "session/agent_fence.h"
#include "session/environment.h"
#include "store/file_io.h"
#include "ui/error_line.h"

extern char** environ;

namespace orch::duties {
namespace {

constexpr size_t kMostPlanBytes = 4 << 20;
// Says that the namespaces have been made; the next word is a descriptor of this binary, which was
// inherited.
constexpr const char* kInside = "--inside";
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

// Sets the agent's environment: nothing of orch's own (session/environment.h), and what the fence
// adds. This process has only one thread, and becomes the agent.
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
// restarted, and for each of the run's checks. A file beside the snapshot tells the host what the
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
    std::vector<std::string> words{kThisProgram,       "snapshot", "--work-dir",
                                   plan.work_dir.path, "--to",     plan.snapshot};
    if (!plan.snapshot_needed) words.insert(words.end(), {"--seconds", kUnaskedSeconds});
    for (const std::string& place : plan.secrets.closed) {
      const bool inside = std::any_of(
          plan.write.begin(), plan.write.end(),
          [&place](const fence::Grant& grant) { return base::is_within(place, grant.path); });
      if (inside) words.insert(words.end(), {"--closed", place});
    }
    ::_exit(become(words));
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return is_there(manifest) || !plan.snapshot_needed;
}

}  // namespace

int run_launch(std::span<const std::string> arguments) {
  const bool inside = arguments.size() > 1 && arguments.front() == kInside;
  if (inside) {
    const int binary = std::atoi(arguments[1].c_str());
    if (binary > STDERR_FILENO) ::close(binary);
    arguments = arguments.subspan(2);
  }
  if (arguments.size() < 3 || arguments[1] != "--") {
    return cannot("usage: orch launch PLAN -- COMMAND...");
  }
  const std::string& file = arguments[0];
  const base::Result<std::string> text = store::read_file(file, kMostPlanBytes);
  if (!text) return cannot(text.error().text);
  const base::Result<fence::Plan> plan = fence::plan_from_json(*text, file);
  if (!plan) return cannot(plan.error().text);
  const std::vector<std::string> command(arguments.begin() + 2, arguments.end());

  // Without a snapshot nothing runs: what a policy allows must be possible to undo.
  if (!inside && !take_snapshot(*plan)) return cannot("there is no snapshot for orch undo");
  if (plan->layers.namespaces && !inside) {
    // bubblewrap starts this program again, in namespaces in which its path may name nothing, or
    // another file; hence the descriptor.
    const int binary = ::open(kThisProgram, O_PATH);
    if (binary < 0) return cannot(base::system_error("open /proc/self/exe", errno).text);
    const std::string fd = std::to_string(binary);
    std::vector<std::string> again{"/proc/self/fd/" + fd, "launch", kInside, fd, file, "--"};
    again.insert(again.end(), command.begin(), command.end());
    set_signals(SIG_IGN);
    return become(fence::in_namespaces(*plan, again));
  }
  set_signals(SIG_DFL);
  base::Status ready = fence::check_place(*plan);
  if (ready) ready = fence::enter(*plan);
  if (!ready) return cannot(ready.error().text);
  set_environment(*plan);
  return become(command);
}

}  // namespace orch::duties
