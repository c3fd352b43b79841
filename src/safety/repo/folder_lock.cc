#include "repo/folder_lock.h"

#include <fcntl.h>

#include "store/file_lock.h"

namespace orch::repo {
namespace {

constexpr int kPatienceMs = 30'000;

}  // namespace

FolderLock::FolderLock(const std::string& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.valid() && !store::lock_open(folder_, kPatienceMs)) folder_.reset();
}

}  // namespace orch::repo
