#include "pty/life_signs.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "pty/family.h"
#include "pty/proc_file.h"
#include "pty/process_table.h"

namespace orch::pty {
namespace {

constexpr size_t kNamedChildren = 10;

// What an idle terminal program may use: so much at once, and so much in each second. Measured at
// the prompt after a turn, for 300 s (gemini 120, opencode 270), on two busy cores:
//   claude 2.1.197     2.4 ms/s of CPU, at the most 6 over 5 s;     0.04 kB/s
//   codex 0.169.0      3.5 ms/s,        at the most 9 over 15 s;    4.9 kB/s, 0.7 MB of it in 15 s
//   gemini 0.61.0      3.4 ms/s,        390 ms of it in 10 s;       0.3 kB/s
//   opencode 1.18.33   14 ms/s,         at the most 27 over 15 s;   0.4 kB/s
// A compiler or a test takes 1000 ms/s.
constexpr int64_t kIdleCpuMs = 500;
constexpr int64_t kIdleCpuMsPerS = 40;
constexpr int64_t kIdleBytes = 1 << 20;
constexpr int64_t kIdleBytesPerS = 8 << 10;

constexpr std::string_view kEstablished = "01";  // TCP_ESTABLISHED in the kernel's tcp_states.h

using Inode = uint64_t;

int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

int64_t ticks_to_ms(long long ticks) {
  const int64_t per_second = ::sysconf(_SC_CLK_TCK);
  return ticks * 1000 / per_second;
}

// Fields 14 to 17 and 22 of proc(5) stat: utime stime cutime cstime, and the start time.
bool take_stat(const std::string& stat, ProcessLife& life) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return false;
  long long user = 0, system = 0, reaped_user = 0, reaped_system = 0;
  unsigned long long start = 0;
  const int fields = std::sscanf(stat.c_str() + name_end + 1,
                                 " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld "
                                 "%*d %*d %*d %*d %llu",
                                 &user, &system, &reaped_user, &reaped_system, &start);
  if (fields != 5) return false;
  life.cpu_ms = ticks_to_ms(user + system + reaped_user + reaped_system);
  life.start = start;
  return true;
}

// A number in proc(5) io, which has lines like "rchar: 123".
int64_t io_figure(std::string_view io, std::string_view name) {
  int64_t value = 0;
  for (std::string_view line : base::split_lines(io)) {
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    std::from_chars(line.data(), line.data() + line.size(), value);
  }
  return value;
}

void take_io(std::string_view io, ProcessLife& life) {
  life.bytes_read = io_figure(io, "rchar: ");
  life.bytes_written = io_figure(io, "wchar: ");
}

// The second number of /proc/PID/schedstat (Linux' Documentation/scheduler/sched-stats.rst), in
// nanoseconds.
int64_t waited_ms_in(const std::string& schedstat) {
  unsigned long long ran = 0, waited = 0;
  if (std::sscanf(schedstat.c_str(), "%llu %llu", &ran, &waited) != 2) return 0;
  return static_cast<int64_t>(waited / 1'000'000);
}

std::optional<ProcessLife> read_life(const ProcessEntry& process) {
  ProcessLife life;
  life.pid = process.pid;
  const bool same = take_stat(read_proc(process.pid, "stat"), life) && life.start == process.start;
  if (!same) return std::nullopt;
  life.name = base::printable(base::trim(read_proc(process.pid, "comm")));
  take_io(read_proc(process.pid, "io"), life);
  life.waited_ms = waited_ms_in(read_proc(process.pid, "schedstat"));
  return life;
}

// The name in a stat file: it is in parentheses, and may contain parentheses itself.
std::string name_in(std::string_view stat) {
  const size_t begin = stat.find('('), end = stat.rfind(')');
  if (begin == std::string_view::npos || end <= begin) return "";
  return base::printable(stat.substr(begin + 1, end - begin - 1));
}

std::vector<ProcessEntry> family_of(pid_t agent) {
  std::vector<Sighted> all;
  for (const ProcessEntry& process : living_processes()) {
    all.push_back({process, process.pid == agent ? Mark::kOfRun : Mark::kNone});
  }
  std::vector<ProcessEntry> members = family_in(all, {}, ::getpid()).members;
  const auto place = [&](const ProcessEntry& member) {
    return std::pair(member.pid != agent, member.pid);
  };
  std::sort(members.begin(), members.end(),
            [&](const ProcessEntry& a, const ProcessEntry& b) { return place(a) < place(b); });
  return members;
}

// The descriptors of a process are links; the link of a socket is "socket:[inode]".
void add_sockets(pid_t pid, std::set<Inode>& sockets) {
  constexpr std::string_view kSocket = "socket:[";
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  const std::unique_ptr<DIR, int (*)(DIR*)> fds(::opendir(folder.c_str()), &::closedir);
  while (const dirent* entry = fds ? ::readdir(fds.get()) : nullptr) {
    std::array<char, 64> target{};
    const ssize_t length =
        ::readlinkat(::dirfd(fds.get()), entry->d_name, target.data(), target.size());
    std::string_view link(target.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
    if (!link.starts_with(kSocket)) continue;
    link.remove_prefix(kSocket.size());
    Inode inode = 0;
    std::from_chars(link.data(), link.data() + link.size(), inode);
    sockets.insert(inode);
  }
}

// Adds those of the sockets that are connected according to a table of proc(5) net/tcp. Its
// columns: sl local remote st tx:rx tr:when retrnsmt uid timeout inode. While sockets come and go,
// a long table may show a line twice or not at all.
void add_established(const std::string& table, const std::set<Inode>& sockets,
                     std::set<Inode>& established) {
  for (const std::string_view line : base::split_lines(table)) {
    std::istringstream columns{std::string(line)};
    std::string skipped, state;
    Inode inode = 0;
    columns >> skipped >> skipped >> skipped >> state;
    columns >> skipped >> skipped >> skipped >> skipped >> skipped >> inode;
    if (columns && state == kEstablished && sockets.contains(inode)) established.insert(inode);
  }
}

int64_t sum(const std::vector<ProcessLife>& processes, int64_t ProcessLife::*figure) {
  int64_t total = 0;
  for (const ProcessLife& process : processes) total += process.*figure;
  return total;
}

}  // namespace

std::vector<std::string> LifeSigns::child_names() const {
  std::vector<std::string> names;
  for (size_t i = 1; i < processes.size() && names.size() < kNamedChildren; ++i) {
    names.push_back(processes[i].name);
  }
  return names;
}

int64_t LifeSigns::cpu_ms() const { return sum(processes, &ProcessLife::cpu_ms); }
int64_t LifeSigns::bytes_read() const { return sum(processes, &ProcessLife::bytes_read); }
int64_t LifeSigns::bytes_written() const { return sum(processes, &ProcessLife::bytes_written); }

LifeSigns read_life_signs(pid_t agent) {
  LifeSigns signs;
  signs.at_ms = monotonic_ms();
  std::set<Inode> sockets;
  for (const ProcessEntry& member : family_of(agent)) {
    std::optional<ProcessLife> life = read_life(member);
    if (!life && member.pid == agent) return signs;
    if (!life) continue;
    signs.processes.push_back(std::move(*life));
    add_sockets(member.pid, sockets);
  }
  signs.sockets_open = static_cast<int>(sockets.size());
  std::set<Inode> established;
  for (const char* table : {"net/tcp", "net/tcp6"}) {  // of the agent's network namespace
    if (!sockets.empty()) add_established(read_proc(agent, table), sockets, established);
  }
  signs.sockets_established = static_cast<int>(established.size());
  return signs;
}

LifeSigns life_signs_in(std::string_view listing, int64_t at_ms) {
  LifeSigns signs;
  signs.at_ms = at_ms;
  signs.sockets_open = -1;
  for (const std::string_view line : base::split_lines(listing)) {
    const bool is_stat = line.find(')') != std::string_view::npos;
    if (!is_stat && !signs.processes.empty()) {
      ProcessLife& life = signs.processes.back();
      life.bytes_read += io_figure(line, "rchar: ");
      life.bytes_written += io_figure(line, "wchar: ");
      continue;
    }
    ProcessLife life;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), life.pid);
    if (error != std::errc() || !take_stat(std::string(line), life)) continue;
    life.name = name_in(line);
    signs.processes.push_back(std::move(life));
  }
  std::sort(signs.processes.begin(), signs.processes.end(),
            [](const ProcessLife& a, const ProcessLife& b) {
              return std::pair(a.start, a.pid) < std::pair(b.start, b.pid);
            });
  return signs;
}

bool shows_life(const LifeSigns& before, const LifeSigns& after) {
  int64_t cpu_ms = 0, waited_ms = 0, bytes = 0;
  for (const ProcessLife& now : after.processes) {
    const auto then = std::find_if(
        before.processes.begin(), before.processes.end(),
        [&](const ProcessLife& p) { return p.pid == now.pid && p.start == now.start; });
    if (then == before.processes.end()) return true;
    cpu_ms += now.cpu_ms - then->cpu_ms;
    waited_ms += now.waited_ms - then->waited_ms;
    bytes += now.bytes_read - then->bytes_read;
    bytes += now.bytes_written - then->bytes_written;
  }
  const int64_t seconds = (after.at_ms - before.at_ms) / 1000;
  // On a busy machine the wait for a processor counts, too, if the agent has used more than an idle
  // program does steadily. (An idle program also waits, each time that it looks around.)
  if (cpu_ms > kIdleCpuMsPerS * seconds) cpu_ms += waited_ms;
  return cpu_ms > kIdleCpuMs + kIdleCpuMsPerS * seconds ||
         bytes > kIdleBytes + kIdleBytesPerS * seconds;
}

}  // namespace orch::pty
