#include "store/held_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "base/shared_folder.h"

namespace orch::store {

HeldFolder::HeldFolder(std::string path)
    : path_(std::move(path)),
      folder_(
          base::share_folder(base::Fd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)))) {}

std::string HeldFolder::path() const {
  struct stat held {};
  if (!folder_->valid() || ::fstat(folder_->get(), &held) != 0) return path_;
  const auto is_here = [&held](const std::string& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 && found.st_dev == held.st_dev &&
           found.st_ino == held.st_ino;
  };
  if (is_here(path_)) return path_;
  std::error_code failure;
  const std::filesystem::path moved =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(folder_->get()), failure);
  return !failure && is_here(moved) ? moved.string() : path_;
}

}  // namespace orch::store
