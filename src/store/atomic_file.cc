#include "store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

enum class Sync : uint8_t { kYes, kNo };

// Writes the new content under the temporary name, and syncs it if wanted.
base::Status write_temporary(base::Fd file, const std::string& name, std::string_view bytes,
                             mode_t mode, Sync sync) {
  base::Status written = write_all(file, name, bytes);
  if (!written) return written;
  if (::fchmod(file.get(), mode) != 0) return base::system_error("chmod " + name, errno);
  if (sync == Sync::kYes && ::fsync(file.get()) != 0) {
    return base::system_error("sync " + name, errno);
  }
  return close_file(std::move(file), name);
}

std::string room_of(const std::string& path) { return path + ".room"; }

// Overwrites the reserved blocks in place, and renames the reserved file to `path`.
base::Status fill_room(const std::string& path, std::string_view bytes, mode_t mode) {
  const std::string room = room_of(path);
  base::Fd file(::open(room.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.valid()) return base::system_error("open " + room, errno);
  const int raw = file.get();
  base::Status status = write_all(file, room, bytes);
  if (status && ::ftruncate(raw, static_cast<off_t>(bytes.size())) != 0) {
    status = base::system_error("shorten " + room, errno);
  }
  if (status) status = write_temporary(std::move(file), room, "", mode, Sync::kYes);
  if (status && ::rename(room.c_str(), path.c_str()) != 0) {
    status = base::system_error("rename " + room + " to " + path, errno);
  }
  return status;
}

base::Status replace(const std::string& path, std::string_view bytes, mode_t mode, Sync sync) {
  std::string temporary = path + ".XXXXXX";
  base::Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return base::system_error("create " + path, errno);
  base::Status status = write_temporary(std::move(file), temporary, bytes, mode, sync);
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = base::system_error("rename " + temporary + " to " + path, errno);
  }
  if (!status) ::unlink(temporary.c_str());
  return status;
}

}  // namespace

base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, Sync::kYes);
}

base::Status write_file_unsynced(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, Sync::kNo);
}

base::Status write_output(const std::string& path, std::string_view bytes) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return write_file(path, bytes);
  const bool ours = info.st_uid == ::geteuid() && info.st_gid == ::getegid();
  if (S_ISREG(info.st_mode) && ours) return write_file(path, bytes, info.st_mode & 07777);
  base::Fd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return base::system_error("open " + path, errno);
  if (base::Status s = write_all(file, path, bytes); !s) return s;
  return close_file(std::move(file), path);
}

base::Status keep_room(const std::string& path, size_t bytes) {
  const std::string room = room_of(path);
  const base::Result<base::Fd> file = open_for_writing(room, O_EXCL | O_NOFOLLOW);
  if (!file) return file.error();
  // posix_fallocate() writes the blocks itself if the file system cannot reserve them.
  const int failed = ::posix_fallocate(file->get(), 0, static_cast<off_t>(bytes));
  if (failed == 0) return base::Ok{};
  ::unlink(room.c_str());
  return base::system_error("keep room for " + path, failed);
}

// A file system that never writes in place has space again once the reserved file is removed, so
// write_file() is tried again after that.
base::Status write_file_in_room(const std::string& path, std::string_view bytes, mode_t mode) {
  base::Status status = write_file(path, bytes, mode);
  if (!status) status = fill_room(path, bytes, mode);
  give_up_room(path);
  return status ? status : write_file(path, bytes, mode);
}

void give_up_room(const std::string& path) { ::unlink(room_of(path).c_str()); }

}  // namespace orch::store
