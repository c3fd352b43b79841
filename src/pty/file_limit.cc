#include "pty/file_limit.h"

#include <fcntl.h>

#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/log.h"

namespace orch::pty {
namespace {

// The limit belongs to the process, so this is global.
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

size_t free_descriptors(size_t most) {
  std::vector<base::Fd> probes;
  while (probes.size() < most) {
    base::Fd probe(::open("/", O_PATH | O_CLOEXEC));
    if (!probe.valid()) break;
    probes.push_back(std::move(probe));
  }
  return probes.size();
}

}  // namespace orch::pty
