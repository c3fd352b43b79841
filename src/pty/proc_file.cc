#include "pty/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/fd.h"

namespace orch::pty {
namespace {

// A process can make its environment and command line as long as its memory (prctl(2),
// PR_SET_MM_MAP); execve(2) takes 6 MB at most. The rest is cut.
constexpr size_t kMostProcBytes = 6 << 20;

}  // namespace

std::string read_proc(pid_t pid, const std::string& file) {
  return find_proc(pid, file).value_or("");
}

std::optional<std::string> find_proc(pid_t pid, const std::string& file) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + file;
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  std::string content;
  std::array<char, 16 * 1024> buffer;
  for (ssize_t n = 1; n > 0 && content.size() < kMostProcBytes;) {
    n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n > 0) content.append(buffer.data(), static_cast<size_t>(n));
  }
  return content;
}

}  // namespace orch::pty
