#include "repo/awaited_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <sstream>
#include <vector>

#include "base/fd.h"
#include "pty/proc_file.h"
#include "pty/process_table.h"

namespace orch::repo {
namespace {

struct Syscall {
  int64_t number = -1;
  std::array<uint64_t, 2> arguments{};
};

// The system call in which the process sleeps: "257 0xffffff9c 0x7ffc8f2b3a10 ...", or "running".
std::optional<Syscall> syscall_of(pid_t process) {
  std::istringstream words(pty::read_proc(process, "syscall"));
  Syscall call;
  words >> call.number >> std::hex >> call.arguments[0] >> call.arguments[1];
  return words ? std::optional(call) : std::nullopt;
}

std::string link_of(const std::string& link) {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  return length <= 0 ? "" : std::string(path.data(), static_cast<size_t>(length));
}

// The string at an address of the process.
std::string text_at(const std::string& proc, uint64_t address) {
  const base::Fd memory(::open((proc + "mem").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, PATH_MAX> text{};
  if (!memory.valid() ||
      ::pread(memory.get(), text.data(), text.size() - 1, static_cast<off_t>(address)) <= 0) {
    return "";
  }
  return text.data();
}

std::string named_in(const std::string& folder, const std::string& name) {
  return name.starts_with('/') ? name : folder + "/" + name;
}

std::string awaited_by_itself(pid_t process) {
  const std::string proc = "/proc/" + std::to_string(process) + "/";
  const std::optional<Syscall> call = syscall_of(process);
  if (!call) return "";
  const auto descriptor = static_cast<int>(call->arguments[0]);
  std::string path;
  if (call->number == SYS_read) {
    path = link_of(proc + "fd/" + std::to_string(descriptor));
  } else if (call->number == SYS_openat) {
    const std::string folder =
        descriptor == AT_FDCWD ? proc + "cwd" : proc + "fd/" + std::to_string(descriptor);
    const std::string name = text_at(proc, call->arguments[1]);
    path = name.empty() ? "" : named_in(link_of(folder), name);
#ifdef SYS_open
  } else if (call->number == SYS_open) {
    path = named_in(link_of(proc + "cwd"), text_at(proc, call->arguments[0]));
#endif
  }
  struct stat info {};
  const bool is_pipe =
      path.starts_with('/') && ::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
  return is_pipe ? path : "";
}

}  // namespace

std::string awaited_pipe(pid_t process) {
  std::string pipe = awaited_by_itself(process);
  for (const pid_t child : pty::children_of(process).value_or(std::vector<pid_t>())) {
    if (pipe.empty()) pipe = awaited_pipe(child);
  }
  return pipe;
}

}  // namespace orch::repo
