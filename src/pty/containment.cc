#include "pty/containment.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "loop/loop.h"
#include "loop/pidfd.h"

namespace orch::pty {
namespace {

// How often to look for processes that a look may have missed, and the pause before looking again
// at those in the middle of exec. 20 ms at most: nothing that forks for ever keeps us here.
constexpr int kMaxLooks = 20;
constexpr timespec kPause{0, 1'000'000};

std::vector<pid_t> all_processes() {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  std::vector<pid_t> pids;
  while (const dirent* entry = proc ? ::readdir(proc.get()) : nullptr) {
    const char* name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name, name + std::strlen(name), pid);
    if (error == std::errc{} && *end == '\0') pids.push_back(pid);
  }
  return pids;
}

// A file of /proc/<pid>; empty when the process is gone or not ours to look at.
std::string read_proc(pid_t pid, const char* file) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string content;
  std::array<char, 16 * 1024> buffer;
  for (ssize_t n = 1; fd.valid() && n > 0;) {
    n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n > 0) content.append(buffer.data(), static_cast<size_t>(n));
  }
  return content;
}

bool has_entry(std::string_view environment, std::string_view entry) {
  while (!environment.empty()) {
    const size_t end = environment.find('\0');
    if (environment.substr(0, end) == entry) return true;
    if (end == std::string_view::npos) break;
    environment.remove_prefix(end + 1);
  }
  return false;
}

struct Kinship {
  pid_t group = 0;
  pid_t session = 0;
};

// From proc(5) stat: pid (name) state ppid pgrp session; the name may hold anything, ")" included.
std::optional<Kinship> kinship_of_living(pid_t pid) {
  const std::string stat = read_proc(pid, "stat");
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  char state = 0;
  Kinship kin;
  const int fields =
      std::sscanf(stat.c_str() + name_end + 1, " %c %*d %d %d", &state, &kin.group, &kin.session);
  if (fields != 3 || state == 'Z' || state == 'X') return std::nullopt;
  return kin;
}

// Whether a process is one that is looked for. kBlurred: it cannot be told at this moment.
enum class Sight { kOther, kMeant, kBlurred };
using Look = std::function<Sight(pid_t)>;

// Between the change of its memory and the end of exec a living process has neither an environment
// nor arguments (nor has a kernel thread ever, but that has no memory either). Its environment is
// read twice, since the first may have been that of the memory it was just giving up.
Sight look_for_mark(pid_t pid, std::string_view mark) {
  std::string environment = read_proc(pid, "environ");
  if (environment.empty()) environment = read_proc(pid, "environ");
  if (!environment.empty()) return has_entry(environment, mark) ? Sight::kMeant : Sight::kOther;
  const bool in_exec = kinship_of_living(pid) && read_proc(pid, "cmdline").empty() &&
                       !read_proc(pid, "statm").starts_with("0 ");
  return in_exec ? Sight::kBlurred : Sight::kOther;
}

Sight signal_if_meant(pid_t pid, int signum, const Look& look) {
  const Sight first = look(pid);
  if (first != Sight::kMeant) return first;
  const base::Fd pidfd = loop::open_pidfd(pid);
  if (!pidfd.valid()) return ::kill(pid, signum) == 0 ? Sight::kMeant : Sight::kOther;
  const Sight second = look(pid);
  if (second != Sight::kMeant) return second;
  return loop::signal_pidfd(pidfd, signum) ? Sight::kMeant : Sight::kOther;
}

// Signals each process that `look` means once, until a look finds no new one and none is blurred.
size_t signal_all(int signum, const Look& look) {
  std::set<pid_t> signalled{::getpid()};
  for (int looks = 0; looks < kMaxLooks; ++looks) {
    const size_t before = signalled.size();
    bool blurred = false;
    for (const pid_t pid : all_processes()) {
      if (signalled.contains(pid)) continue;
      const Sight sight = signal_if_meant(pid, signum, look);
      if (sight == Sight::kMeant) signalled.insert(pid);
      if (sight == Sight::kBlurred) blurred = true;
    }
    if (blurred) {
      ::nanosleep(&kPause, nullptr);
    } else if (signalled.size() == before) {
      break;
    }
  }
  return signalled.size() - 1;
}

}  // namespace

base::Status become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
    return base::system_error("become a child subreaper", errno);
  }
  return base::Ok{};
}

size_t reap_orphans(const loop::Loop& loop) {
  siginfo_t ended{};
  const bool any =
      ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
  if (!any) return 0;
  size_t count = 0;
  for (const pid_t pid : all_processes()) {
    if (!loop.watches_child(pid) && ::waitpid(pid, nullptr, WNOHANG) == pid) ++count;
  }
  return count;
}

size_t kill_marked(std::string_view run_id, int signum) {
  const std::string mark = std::string(kRunMark) + "=" + std::string(run_id);
  return signal_all(signum, [&mark](pid_t pid) { return look_for_mark(pid, mark); });
}

size_t signal_session_beyond_group(pid_t session, int signum) {
  return signal_all(signum, [session](pid_t pid) {
    const std::optional<Kinship> kin = kinship_of_living(pid);
    const bool meant = kin && kin->session == session && kin->group != session;
    return meant ? Sight::kMeant : Sight::kOther;
  });
}

}  // namespace orch::pty
