#include "store/last_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/fd.h"

namespace orch::store {
namespace {

constexpr uint64_t kBlockBytes = 64 << 10;

// Exactly these bytes; fewer only where the file was cut meanwhile.
base::Result<std::string> block_of(const base::Fd& file, const std::string& path, uint64_t at,
                                   uint64_t bytes) {
  std::string block(bytes, '\0');
  size_t held = 0;
  while (held < block.size()) {
    const ssize_t got = ::pread(file.get(), block.data() + held, block.size() - held,
                                static_cast<off_t>(at + held));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_error("read " + path, errno);
    if (got == 0) break;
    held += static_cast<size_t>(got);
  }
  block.resize(held);
  return block;
}

}  // namespace

base::Status each_line_from_end(const std::string& path, uint64_t from, uint64_t to,
                                const std::function<bool(std::string_view)>& take) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return base::system_error("open " + path, errno);
  }
  if (!S_ISREG(info.st_mode)) return base::usage_error("open " + path + ": no regular file");
  uint64_t at = std::min(to, static_cast<uint64_t>(info.st_size));
  std::string later;   // the end of a line whose beginning is not read yet, last piece first
  bool ended = false;  // a line feed stands behind `later`
  while (at > from) {
    const uint64_t bytes = std::min(kBlockBytes, at - from);
    base::Result<std::string> block = block_of(file, path, at - bytes, bytes);
    if (!block) return block.error();
    at -= bytes;
    std::string_view rest = *block;
    for (size_t feed = rest.rfind('\n'); feed != std::string_view::npos; feed = rest.rfind('\n')) {
      later.append(rest.rbegin(),
                   rest.rbegin() + static_cast<std::ptrdiff_t>(rest.size() - feed - 1));
      if (ended) {
        std::reverse(later.begin(), later.end());
        if (!take(later)) return base::Ok{};
      }
      later.clear();
      ended = true;
      rest = rest.substr(0, feed);
    }
    later.append(rest.rbegin(), rest.rend());
  }
  std::reverse(later.begin(), later.end());
  if (ended) take(later);
  return base::Ok{};
}

}  // namespace orch::store
