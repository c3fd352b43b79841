#include "pty/file_limit.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/log.h"

namespace orch::pty {
namespace {

// Probes open a file each. More are only counted, so that hundreds are not open even for a moment.
constexpr size_t kMostProbes = 64;

// The limit less the files that are open; nullopt without /proc.
std::optional<size_t> free_by_count() {
  const std::unique_ptr<DIR, int (*)(DIR*)> open_files(::opendir("/proc/self/fd"), ::closedir);
  rlimit limit{};
  if (!open_files || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  size_t count = 0;
  while (const dirent* entry = ::readdir(open_files.get())) {  // NOLINT(concurrency-mt-unsafe)
    if (entry->d_name[0] != '.') ++count;
  }
  --count;  // of opendir()
  return limit.rlim_cur > count ? static_cast<size_t>(limit.rlim_cur) - count : 0;
}

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
  if (most > kMostProbes) {
    if (const std::optional<size_t> free = free_by_count()) return std::min(*free, most);
  }
  std::vector<base::Fd> probes;
  while (probes.size() < most) {
    base::Fd probe(::open("/", O_PATH | O_CLOEXEC));
    if (!probe.valid()) break;
    probes.push_back(std::move(probe));
  }
  return probes.size();
}

}  // namespace orch::pty
