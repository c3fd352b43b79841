#include "store/file_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "store/state_file.h"

namespace orch::store {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

base::Fd try_lock(const std::string& path) {
  base::Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct flock lock = whole_file();
  if (file.valid() && ::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
    const int error = errno;
    file.reset();
    errno = error;
  }
  return file;
}

bool lock_open(const base::Fd& open, int64_t patience_ms) {
  constexpr int kLookMs = 2;
  int64_t waited_ms = 0;
  while (::flock(open.get(), LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || waited_ms >= patience_ms) return false;
    ::poll(nullptr, 0, kLookMs);
    waited_ms += kLookMs;
  }
  return true;
}

Presence still_there(const base::Fd& file, const std::string& path) {
  struct stat held {
  }, there{};
  const bool known = ::fstat(file.get(), &held) == 0 && ::lstat(path.c_str(), &there) == 0;
  if (!known && !means_absent(errno)) return base::system_error("look at the lock " + path, errno);
  const bool same = known && held.st_ino == there.st_ino && held.st_dev == there.st_dev;
  return same ? Presence(base::Ok{}) : Presence::absent();
}

Presence holder_of_lock(const std::string& path) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid() && means_absent(errno)) return Presence::absent();
  struct flock lock = whole_file();
  if (!file.valid() || ::fcntl(file.get(), F_OFD_GETLK, &lock) != 0) {
    return base::system_error("look at the lock " + path, errno);
  }
  return lock.l_type == F_UNLCK ? Presence::absent() : Presence(base::Ok{});
}

}  // namespace orch::store
