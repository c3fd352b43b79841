#include "pty/file_limit.h"

#include <fcntl.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/log.h"

namespace orch::pty {
namespace {

// A limit is the process's, and so is this.
std::optional<rlimit>& original() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  const rlimit raised{limit.rlim_max, limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) return;
  if (!original()) original() = limit;
  base::log_info("files", "at most " + std::to_string(raised.rlim_cur) + " may be open, not " +
                              std::to_string(limit.rlim_cur));
}

std::optional<rlimit> original_file_limit() { return original(); }

bool has_descriptors(size_t count) {
  std::vector<base::Fd> probes;
  probes.reserve(count);
  while (probes.size() < count) {
    probes.emplace_back(::open("/", O_PATH | O_CLOEXEC));
    if (!probes.back().valid()) return false;
  }
  return true;
}

}  // namespace orch::pty
