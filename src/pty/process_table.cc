#include "pty/process_table.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "loop/pidfd.h"
#include "pty/proc_file.h"

namespace orch::pty {

namespace {

constexpr unsigned kKernelThread = 0x0020'0000;  // PF_KTHREAD of Linux' include/linux/sched.h

// The next field of a line with blanks before each field; "" behind the last one.
std::string_view take_field(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \n"), line.size()));
  const std::string_view field = line.substr(0, line.find_first_of(" \n"));
  line.remove_prefix(field.size());
  return field;
}

template <typename Number>
bool take_number(std::string_view& line, Number& number) {
  const std::string_view field = take_field(line);
  const char* const end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, number);
  return error == std::errc{} && rest == end;
}

// The pids that name folders in a folder of /proc.
std::vector<pid_t> pids_in(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  std::vector<pid_t> pids;
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    const char* name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name, name + std::strlen(name), pid);
    if (error == std::errc{} && *end == '\0') pids.push_back(pid);
  }
  return pids;
}

}  // namespace

// Fields of proc(5) stat: pid (name) state ppid pgrp session tty tpgid flags and, as the 22nd, the
// start time. The name may contain anything, even ")".
std::optional<ProcessEntry> read_process(pid_t pid) {
  constexpr int kBetween = 12;  // flags and start time
  const std::string stat = read_proc(pid, "stat");
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(stat).substr(name_end + 1);
  const std::string_view state = take_field(rest);
  ProcessEntry entry;
  int terminal = 0;
  unsigned flags = 0;
  bool whole = take_number(rest, entry.parent) && take_number(rest, entry.group) &&
               take_number(rest, entry.session) && take_number(rest, terminal) &&
               take_number(rest, entry.foreground) && take_number(rest, flags);
  for (int i = 0; i < kBetween; ++i) take_field(rest);
  whole = whole && take_number(rest, entry.start);
  if (!whole) return std::nullopt;
  entry.pid = pid;
  entry.ended = state == "Z" || state == "X";
  entry.kernel = (flags & kKernelThread) != 0;
  return entry;
}

bool proc_is_ours() {
  std::array<char, 32> target{};
  const ssize_t size = ::readlink("/proc/self", target.data(), target.size());
  return size > 0 &&
         std::string(target.data(), static_cast<size_t>(size)) == std::to_string(::getpid());
}

ProcessId identify(pid_t pid) {
  const std::optional<ProcessEntry> entry = read_process(pid);
  return {pid, entry ? entry->start : 0};
}

bool lives(const ProcessId& process) {
  const std::optional<ProcessEntry> entry = read_process(process.pid);
  return entry && entry->start == process.start && !entry->ended;
}

std::vector<pid_t> all_pids() { return pids_in("/proc"); }

std::optional<std::vector<pid_t>> children_of(pid_t pid) {
  const std::optional<std::string> list =
      find_proc(pid, "task/" + std::to_string(pid) + "/children");
  if (!list) return std::nullopt;
  std::vector<pid_t> children;
  std::string_view rest = *list;
  for (pid_t child = 0; take_number(rest, child);) children.push_back(child);
  return children;
}

// The list may lack a process if an earlier one was reaped during the read. If all listed processes
// are still there afterwards, none was reaped. This process's own children are safe: the same
// thread reads and reaps them.
bool has_no_living_child(pid_t pid, uint64_t since, const std::function<bool(pid_t)>& is_meant) {
  const bool own = pid == ::getpid();
  if (!own && pids_in("/proc/" + std::to_string(pid) + "/task") != std::vector{pid}) return false;
  const std::optional<std::vector<pid_t>> children = children_of(pid);
  if (!children) return false;
  return std::all_of(children->begin(), children->end(), [&](pid_t child) {
    if (is_meant && !is_meant(child)) return true;
    const std::optional<ProcessEntry> entry = read_process(child);
    return entry && (entry->ended || entry->start < since);
  });
}

std::vector<ProcessEntry> living_processes() {
  std::vector<ProcessEntry> processes;
  for (const pid_t pid : all_pids()) {
    const std::optional<ProcessEntry> entry = read_process(pid);
    if (entry && !entry->ended) processes.push_back(*entry);
  }
  return processes;
}

// Between the change of its memory and the end of exec, a living process has neither environment
// nor arguments. (Kernel threads never have, but they have no memory either.) The environment is
// read twice, because the first read may have hit the memory that the process was just giving up.
Mark read_mark(pid_t pid, std::string_view run_id) {
  std::string environment = read_proc(pid, "environ");
  if (environment.empty()) environment = read_proc(pid, "environ");
  if (!environment.empty()) return mark_in(environment, run_id);
  const std::optional<ProcessEntry> entry = read_process(pid);
  const bool in_exec = entry && !entry->ended && read_proc(pid, "cmdline").empty() &&
                       !read_proc(pid, "statm").starts_with("0 ");
  return in_exec ? Mark::kUnclear : Mark::kNone;
}

bool signal_process(pid_t pid, uint64_t start, int signum) {
  const base::Fd pidfd = loop::open_pidfd(pid);
  const std::optional<ProcessEntry> now = read_process(pid);
  if (!now || now->start != start) return false;
  if (pidfd.valid() && loop::signal_pidfd(pidfd, signum)) return true;
  // Before Linux 5.3, or where a container's filter lacks the call.
  return (!pidfd.valid() || errno == ENOSYS) && ::kill(pid, signum) == 0;
}

}  // namespace orch::pty
