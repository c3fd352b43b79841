#include "base/shared_folder.h"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <utility>

namespace orch::base {

std::shared_ptr<const Fd> share_folder(Fd folder) {
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::weak_ptr<const Fd>> held;  // by device and inode
  auto own = std::make_shared<const Fd>(std::move(folder));
  struct stat info {};
  if (!own->valid() || ::fstat(own->get(), &info) != 0) return own;
  const std::lock_guard lock(mutex);
  std::erase_if(held, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const Fd>& known = held[{info.st_dev, info.st_ino}];
  if (std::shared_ptr<const Fd> other = known.lock()) return other;
  known = own;
  return own;
}

}  // namespace orch::base
