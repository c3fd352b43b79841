#include "task_run/note_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "store/file_io.h"
#include "store/folder_at.h"
#include "store/replace_file.h"
#include "task/task_note.h"

namespace orch::task_run {
namespace {

constexpr mode_t kFolderMode = 0755, kFileMode = 0644;

using base::Status;

// Makes git ignore the folder's content, unless somebody has already written a .gitignore there.
Status ignore_all_in(int folder) {
  base::Fd file(::openat(folder, ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         kFileMode));
  if (!file.valid()) {
    return errno == EEXIST ? Status(base::Ok{}) : base::system_error("create .gitignore", errno);
  }
  if (Status s = store::write_all(file, ".gitignore", "*\n"); !s) return s;
  return store::close_file(std::move(file), ".gitignore");
}

}  // namespace

base::Result<std::string> write_note_file(const std::string& repo, std::string_view id,
                                          std::string_view text) {
  const std::string relative = task::note_path(id);
  const std::string folder_name = relative.substr(0, relative.find('/'));
  const std::string name = relative.substr(folder_name.size() + 1);
  const std::string path = repo + "/" + relative;
  const base::Fd root = store::open_root(repo);
  if (!root.valid()) return base::system_error("open " + repo, errno);
  if (::mkdirat(root.get(), folder_name.c_str(), kFolderMode) != 0 && errno != EEXIST) {
    return base::system_error("make " + repo + "/" + folder_name, errno);
  }
  const base::Fd folder(
      ::openat(root.get(), folder_name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) {
    return base::system_error(
        "open " + repo + "/" + folder_name + " (it must be a folder, no link)", errno);
  }
  if (Status s = ignore_all_in(folder.get()); !s) return s.error();
  store::NewFile file;
  file.mode = kFileMode;
  file.umask = store::NewFile::Umask::kObeyed;
  const Status status = store::replace_file(
      folder, name, path, file, [text](const base::Fd& opened, const std::string& named) {
        return store::write_all(opened, named, text);
      });
  if (!status) return status.error();
  return path;
}

}  // namespace orch::task_run
