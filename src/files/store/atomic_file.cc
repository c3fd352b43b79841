#include "store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"
#include "store/replace_file.h"

namespace orch::store {
namespace {

std::string room_of(const std::string& path) { return path + ".room"; }

// Overwrites the reserved blocks in place, and renames the reserved file to `path`.
base::Status fill_room(const std::string& path, std::string_view bytes, mode_t mode) {
  const base::Fd folder = open_folder_of(path);
  const std::string room = room_of(path), room_name = last_name(room);
  base::Fd file(folder.valid()
                    ? ::openat(folder.get(), room_name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
                    : -1);
  if (!file.valid()) return base::system_error("open " + room, errno);
  base::Status status = write_all(file, room, bytes);
  if (status && ::ftruncate(file.get(), static_cast<off_t>(bytes.size())) != 0) {
    status = base::system_error("shorten " + room, errno);
  }
  if (status && ::fchmod(file.get(), mode) != 0)
    status = base::system_error("chmod " + room, errno);
  if (!status) return status;
  return move_into_place(folder, std::move(file), room_name, last_name(path), path, Sync::kDisk);
}

base::Status replace(const std::string& path, std::string_view bytes, mode_t mode, Sync sync) {
  const base::Fd folder = open_folder_of(path);
  if (!folder.valid()) return base::system_error("create " + path, errno);
  NewFile file;
  file.mode = mode;
  file.sync = sync;
  return replace_file(folder, last_name(path), path, file,
                      [bytes](const base::Fd& opened, const std::string& name) {
                        return write_all(opened, name, bytes);
                      });
}

}  // namespace

base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, Sync::kDisk);
}

base::Status write_file_unsynced(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, Sync::kNone);
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
