#include "store/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/random.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

using base::Fd;
using base::Status;

std::string temporary_of(const std::string& name) {
  constexpr size_t kLetters = 6;     // abandoned_run.cc and session_file.cc know the form
  constexpr size_t kMostName = 255;  // bytes of a name, in most file systems
  const std::string end = "." + base::random_hex().substr(0, kLetters);
  return name.substr(0, kMostName - end.size()) + end;
}

Status complete(const Fd& file, const std::string& temporary, const NewFile& wanted) {
  if (wanted.owner && ::fchown(file.get(), wanted.owner->user, wanted.owner->group) != 0) {
    return base::system_error("chown " + temporary, errno);
  }
  if (wanted.umask == NewFile::Umask::kIgnored && ::fchmod(file.get(), wanted.mode) != 0) {
    return base::system_error("chmod " + temporary, errno);
  }
  return base::Ok{};
}

}  // namespace

Status replace_file(const Fd& folder, const std::string& name, const std::string& path,
                    const NewFile& wanted,
                    const std::function<Status(const Fd&, const std::string&)>& fill) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  constexpr int kMostTries = 100;  // a name may be taken
  std::string temporary;
  Fd file;
  for (int tried = 0; !file.valid() && tried < kMostTries; ++tried) {
    temporary = temporary_of(name);
    file.reset(::openat(folder.get(), temporary.c_str(), kFlags, wanted.mode));
    if (!file.valid() && errno != EEXIST) break;
  }
  if (!file.valid()) return base::system_error("create " + path, errno);
  Status status = fill(file, path);
  if (status) status = complete(file, path, wanted);
  if (status) {
    return move_into_place(folder, std::move(file), temporary, name, path, wanted.sync);
  }
  ::unlinkat(folder.get(), temporary.c_str(), 0);
  return status;
}

Status move_into_place(const Fd& folder, Fd file, const std::string& temporary,
                       const std::string& name, const std::string& path, Sync sync) {
  Status status = base::Ok{};
  if (sync == Sync::kDisk && ::fsync(file.get()) != 0) {
    status = base::system_error("sync " + path, errno);
  }
  if (status) status = close_file(std::move(file), path);
  if (status && ::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0) {
    status = base::system_error("rename to " + path, errno);
  }
  if (status && sync == Sync::kDisk) return sync_folder(folder, path);
  if (!status) ::unlinkat(folder.get(), temporary.c_str(), 0);
  return status;
}

Status sync_folder(const Fd& folder, const std::string& path) {
  if (::fsync(folder.get()) == 0) return base::Ok{};
  // EBADF: the folder is only an O_PATH descriptor. The others: its file system cannot sync it.
  if (errno == EBADF || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return base::Ok{};
  return base::system_error("sync the folder of " + path, errno);
}

Fd open_folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  constexpr int kFlags = O_DIRECTORY | O_CLOEXEC;
  Fd opened(::open(folder.c_str(), kFlags | O_RDONLY));
  if (!opened.valid() && errno == EACCES) opened.reset(::open(folder.c_str(), kFlags | O_PATH));
  return opened;
}

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace orch::store
