// Preloaded into a program: each fsync takes ORCH_FSYNC_MS (500) milliseconds longer, as on a busy
// disk; with ORCH_FSYNC_FAILS it fails, as on a broken one.
#include <dlfcn.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>

namespace {

int slowly(const char* name, int fd) {
  if (std::getenv("ORCH_FSYNC_FAILS") != nullptr) {
    errno = EIO;
    return -1;
  }
  const char* ms = std::getenv("ORCH_FSYNC_MS");
  const long wait_ms = ms == nullptr ? 500 : std::atol(ms);
  const timespec wait{wait_ms / 1000, wait_ms % 1000 * 1'000'000};
  ::nanosleep(&wait, nullptr);
  const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, name));
  return real == nullptr ? 0 : real(fd);
}

}  // namespace

extern "C" int fsync(int fd) { return slowly("fsync", fd); }
extern "C" int fdatasync(int fd) { return slowly("fdatasync", fd); }
