#include "store/folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "store/state_file.h"

namespace orch::store {
namespace {

bool leads_to_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void remove_folders(const std::vector<std::string>& created) {
  for (auto folder = created.rbegin(); folder != created.rend(); ++folder) ::rmdir(folder->c_str());
}

base::Status create_folders(const std::string& path, std::vector<std::string>& created) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (!leads_to_folder(folder)) {
      if (::mkdir(folder.c_str(), 0700) == 0) {
        created.push_back(folder);
        // Another run may have created it just now.
      } else if (errno != EEXIST || !leads_to_folder(folder)) {
        return base::system_error("create folder " + folder, errno);
      }
    }
    if (end == std::string::npos) return base::Ok{};
  }
}

base::Status create_folders(const std::string& path) {
  std::vector<std::string> created;
  return create_folders(path, created);
}

base::Status create_folder_of(const std::string& file) {
  return create_folders(file.substr(0, file.rfind('/')));
}

base::Result<Privacy> privacy_of(const std::string& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) {
    if (means_absent(errno)) return Privacy::kMissing;
    return base::system_error("look at folder " + folder, errno);
  }
  if (!S_ISDIR(info.st_mode)) return Privacy::kMissing;
  if (info.st_uid != ::geteuid()) {
    return base::usage_error("folder " + folder + " belongs to another user (uid " +
                             std::to_string(info.st_uid) + ")");
  }
  if ((info.st_mode & 022) != 0) return Privacy::kWritable;
  return (info.st_mode & 077) != 0 ? Privacy::kReadable : Privacy::kPrivate;
}

base::Status make_private(const std::string& folder) {
  // On a read-only file system nothing will be written into it, as in a fence.
  if (::chmod(folder.c_str(), 0700) == 0 || errno == EROFS) return base::Ok{};
  return base::system_error("chmod 0700 " + folder, errno);
}

}  // namespace orch::store
