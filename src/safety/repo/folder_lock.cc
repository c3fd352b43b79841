#include "repo/folder_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

#include <cerrno>

namespace orch::repo {
namespace {

constexpr int kPatienceMs = 30'000;
constexpr int kLookMs = 10;

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  for (int waited = 0; folder_.valid() && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0;
       waited += kLookMs) {
    const bool is_anothers = errno == EWOULDBLOCK || errno == EINTR;
    if (!is_anothers || waited >= kPatienceMs) {
      folder_.reset();
      return;
    }
    ::poll(nullptr, 0, kLookMs);
  }
}

}  // namespace orch::repo
