#include "store/own_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "base/owners.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

base::Status check_own(const struct stat& info, const std::string& path, const Owners& owners) {
  if (!owners.include(info.st_uid)) {
    return base::usage_error(path + " belongs to another user (uid " + std::to_string(info.st_uid) +
                             "), and is not obeyed: chown it, or remove it");
  }
  if ((info.st_mode & S_IWOTH) != 0 ||
      ((info.st_mode & S_IWGRP) != 0 && !base::is_private_group(info.st_gid, info.st_uid))) {
    return base::usage_error(path + " can be written by others, and is not obeyed: chmod go-w " +
                             path);
  }
  return base::Ok{};
}

base::Status check_folder(const std::string& path, const Owners& owners) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return base::system_error("stat " + path, errno);
  return check_own(info, path, owners);
}

}  // namespace

base::Result<std::string> read_own_file(const std::string& path, const Owners& owners,
                                        size_t max_bytes) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid()) {
    return base::usage_error("cannot read " + path + ": " + std::generic_category().message(errno));
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return base::system_error("stat " + path, errno);
  if (!S_ISREG(info.st_mode))
    return base::usage_error("cannot read " + path + ": it is not a file");
  if (base::Status s = check_own(info, path, owners); !s) return s.error();
  if (info.st_nlink > 1) {
    return base::usage_error(path +
                             " has a second name (a hard link), and is not obeyed: make it "
                             "a copy");
  }
  // Anyone who can write to the folder can replace this file by another file of the user's.
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  for (const fs::path& folder : {fs::path(path).parent_path(), real.parent_path()}) {
    if (folder.empty()) continue;
    if (base::Status s = check_folder(folder, owners); !s) return s.error();
  }
  base::Result<std::string> text = read_open_file(file, path, max_bytes);
  return text ? text : base::usage_error("cannot " + text.error().text);
}

}  // namespace orch::store
