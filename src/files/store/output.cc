#include "store/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/author.h"
#include "base/text.h"
#include "store/file_io.h"
#include "store/named_place.h"
#include "store/replace_file.h"

namespace orch::store {
namespace {

using base::Fd;
using base::Result;
using base::Status;

Result<NamedPlace> output_place(const std::string& path) {
  Result<NamedPlace> place = find_named_place(path, Missing::kLast, AgentsLinks::kRefused);
  if (!place) {
    if (place.error().code != base::ErrorCode::kNotFound) return place;
    return base::usage_error("write " + place.error().text);
  }
  if (place->name.empty())
    return base::usage_error("write " + base::printable(path) + ": it is a folder");
  return place;
}

// The status of the file at the place; nullopt if the place is empty.
Result<std::optional<struct stat>> look_at(const NamedPlace& place) {
  struct stat info {};
  if (::fstatat(place.folder.get(), place.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
    return std::optional(info);
  }
  if (errno == ENOENT) return std::optional<struct stat>();
  return base::system_error("write " + base::printable(place.path), errno);
}

Status refused(const NamedPlace& place, const std::string& what) {
  return base::usage_error("write " + base::printable(place.path) + ": it is " + what +
                           " where others than you may write: remove it, or name another file");
}

// Opens the file that is there, and checks it again: another one may have replaced it.
Result<Fd> open_there(const NamedPlace& place, int flags) {
  constexpr int kFlags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  Fd file(::openat(place.folder.get(), place.name.c_str(), kFlags | flags, 0600));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return base::system_error("open " + base::printable(place.path), errno);
  }
  if (base::is_of_user(place.path)) return file;
  if (!S_ISREG(info.st_mode)) return refused(place, "not a regular file").error();
  if (info.st_nlink > 1) return refused(place, "a file with another name").error();
  return file;
}

Status overwrite(const NamedPlace& place, std::string_view bytes) {
  // The file is cut only after this check. Opening a pipe may wait for its reader, but not a pipe
  // where others may write.
  const int patience = base::is_of_user(place.path) ? 0 : O_NONBLOCK;
  Result<Fd> file = open_there(place, patience);
  if (!file) return file.error();
  struct stat info {};
  const bool is_regular = ::fstat(file->get(), &info) == 0 && S_ISREG(info.st_mode);
  if (is_regular && ::ftruncate(file->get(), 0) != 0) {
    return base::system_error("shorten " + base::printable(place.path), errno);
  }
  if (Status s = write_all(*file, place.path, bytes); !s) return s;
  return close_file(std::move(file).value(), place.path);
}

Status replace(const NamedPlace& place, const std::optional<struct stat>& old,
               std::string_view bytes) {
  NewFile file;
  if (old) file.mode = old->st_mode & 0777;
  const bool ours = !old || (old->st_uid == ::geteuid() && old->st_gid == ::getegid());
  if (!ours) file.owner = NewFile::Owner{old->st_uid, old->st_gid};
  // Syncing needs the folder open for reading.
  const Fd folder(::openat(place.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return replace_file(folder.valid() ? folder : place.folder, place.name, place.path, file,
                      [bytes](const Fd& opened, const std::string& name) {
                        return write_all(opened, name, bytes);
                      });
}

// Whether a new file can get the owner and group of this one.
bool can_give_away(const struct stat& old) {
  return ::geteuid() == 0 || (old.st_uid == ::geteuid() && old.st_gid == ::getegid());
}

}  // namespace

Status write_output(const std::string& path, std::string_view bytes) {
  Result<NamedPlace> place = output_place(path);
  if (!place) return place.error();
  if (place->open_file.valid()) return write_all(place->open_file, path, bytes);
  const Result<std::optional<struct stat>> old = look_at(*place);
  if (!old) return old.error();
  if (!*old) return replace(*place, *old, bytes);
  const mode_t mode = (*old)->st_mode;
  if (S_ISDIR(mode))
    return base::usage_error("write " + base::printable(path) + ": it is a folder");
  if (S_ISREG(mode) && can_give_away(**old)) return replace(*place, *old, bytes);
  if (!S_ISREG(mode) && !base::is_of_user(place->path))
    return refused(*place, "not a regular file");
  return overwrite(*place, bytes);
}

Result<Fd> open_output(const std::string& path) {
  Result<NamedPlace> place = output_place(path);
  if (!place) return place.error();
  if (place->open_file.valid()) return std::move(place->open_file);
  const Result<std::optional<struct stat>> old = look_at(*place);
  if (!old) return old.error();
  if (*old && !S_ISREG((*old)->st_mode) && !base::is_of_user(place->path)) {
    return refused(*place, "not a regular file").error();
  }
  return open_there(*place, O_APPEND | O_CREAT);
}

}  // namespace orch::store
