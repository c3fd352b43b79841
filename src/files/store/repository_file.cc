#include "store/repository_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

using base::Result;

base::Error refusal(const std::string& path, const std::string& reason) {
  return base::usage_error("cannot read " + path + ": " + reason);
}

std::string another_user(uid_t user) {
  return "it belongs to another user (uid " + std::to_string(user) + ")";
}

bool is_link_at(int folder, const std::string& name) {
  struct stat info {};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

// Opens a file or folder in a folder, but no symbolic link.
Result<base::Fd> open_in(const base::Fd& folder, const std::string& name, int flags,
                         const std::string& path) {
  if (name.empty() || name == "." || name == "..")
    return refusal(path, "a part of it is not a name");
  base::Fd opened(::openat(folder.get(), name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags));
  if (opened.valid()) return opened;
  const int error = errno;
  if (error == ENOENT) return base::Error{base::ErrorCode::kNotFound, "there is no " + path};
  if (is_link_at(folder.get(), name)) return refusal(path, name + " is a symbolic link");
  return refusal(path, base::system_error(name, error).text);
}

}  // namespace

base::Status check_owner(const std::string& folder, const Owners& owners) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) return base::system_error("stat " + folder, errno);
  if (!owners.include(info.st_uid)) {
    return base::usage_error(folder + " belongs to another user (uid " +
                             std::to_string(info.st_uid) + ")");
  }
  return base::Ok{};
}

Result<std::string> read_inside(const std::string& root, const std::string& relative,
                                const Owners& owners, size_t max_bytes) {
  const std::string path = root + "/" + relative;
  base::Fd at(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!at.valid()) return base::system_error("open folder " + root, errno);
  std::string_view rest = relative;
  for (size_t slash = 0; (slash = rest.find('/')) != std::string_view::npos;) {
    Result<base::Fd> folder = open_in(at, std::string(rest.substr(0, slash)), O_DIRECTORY, path);
    if (!folder) return folder.error();
    at = std::move(folder).value();
    rest.remove_prefix(slash + 1);
  }
  const Result<base::Fd> file = open_in(at, std::string(rest), 0, path);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return base::system_error("stat " + path, errno);
  if (!S_ISREG(info.st_mode)) return refusal(path, "it is not a regular file");
  if (!owners.include(info.st_uid)) return refusal(path, another_user(info.st_uid));
  return read_open_file(*file, path, max_bytes);
}

}  // namespace orch::store
