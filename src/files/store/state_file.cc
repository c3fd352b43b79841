#include "store/state_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"
#include "store/folder_at.h"

namespace orch::store {

bool means_absent(int errno_value) { return errno_value == ENOENT || errno_value == ENOTDIR; }

bool is_refused(const base::Error& error) { return error.code != base::ErrorCode::kUsage; }

namespace {

base::Error refused(const std::string& path, int errno_value) {
  return base::system_error("read " + path, errno_value);
}

Found<struct stat> status_of(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return info;
  if (means_absent(errno)) return Found<struct stat>::absent();
  return refused(path, errno);
}

}  // namespace

Presence presence_of(const std::string& path) {
  const Found<struct stat> status = status_of(path);
  if (status.is_unknown()) return status.error();
  return status.is_present() ? Presence(base::Ok{}) : Presence::absent();
}

bool is_absent(const std::string& path) { return status_of(path).is_absent(); }

Found<std::string> read_state(const std::string& path, size_t most) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) {
    if (means_absent(errno)) return Found<std::string>::absent();
    return refused(path, errno);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return refused(path, errno);
  if (!S_ISREG(info.st_mode)) return base::usage_error("read " + path + ": no regular file");
  base::Result<std::string> text = read_open_file(file, path, most);
  if (!text) return text.error();
  return std::move(text).value();
}

base::Result<std::vector<std::string>> names_in_folder(const std::string& path) {
  const base::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) {
    if (means_absent(errno)) return std::vector<std::string>();
    return refused(path, errno);
  }
  base::Result<std::vector<std::string>> names = names_in(folder);
  if (names) return names;
  return base::Error{names.error().code, "read " + path + ": " + names.error().text};
}

Found<TimePoint> time_of_change(const std::string& path) {
  const Found<struct stat> status = status_of(path);
  if (status.is_unknown()) return status.error();
  if (status.is_absent()) return Found<TimePoint>::absent();
  const auto since_epoch = std::chrono::seconds(status->st_mtim.tv_sec) +
                           std::chrono::duration_cast<std::chrono::microseconds>(
                               std::chrono::nanoseconds(status->st_mtim.tv_nsec));
  return TimePoint(std::chrono::duration_cast<TimePoint::duration>(since_epoch));
}

}  // namespace orch::store
