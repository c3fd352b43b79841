#include "repo/folder_at.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace orch::repo {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// The same in one system call, where the kernel has it (Linux 5.6) and a container lets it pass.
base::Fd open_at_once(const base::Fd& root, const std::string& relative) {
  open_how how{};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return base::Fd(
      static_cast<int>(::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how)));
}

base::Fd open_by_names(const base::Fd& root, std::string_view relative) {
  base::Fd at(::openat(root.get(), ".", kFolderFlags));
  while (at.valid() && !relative.empty()) {
    const size_t slash = std::min(relative.find('/'), relative.size());
    const std::string name(relative.substr(0, slash));
    relative.remove_prefix(std::min(slash + 1, relative.size()));
    if (name.empty()) continue;
    // Nothing that we keep holds "..": this is for a manifest that is not ours.
    if (name == "..") return errno = EINVAL, base::Fd();
    at.reset(::openat(at.get(), name.c_str(), kFolderFlags));
  }
  return at;
}

}  // namespace

base::Fd open_root(const std::string& absolute) {
  base::Fd top(::open("/", kFolderFlags));
  if (!top.valid()) return {};
  return open_below(top, absolute);
}

base::Fd open_below(const base::Fd& root, std::string_view relative) {
  while (relative.starts_with('/')) relative.remove_prefix(1);
  base::Fd at = open_at_once(root, relative.empty() ? "." : std::string(relative));
  if (at.valid() || (errno != ENOSYS && errno != EPERM)) return at;
  return open_by_names(root, relative);
}

base::Result<std::vector<std::string>> names_in(const base::Fd& folder) {
  base::Fd own(::openat(folder.get(), ".", kFolderFlags));
  if (!own.valid()) return base::system_error("open a folder", errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(own.get()), ::closedir);
  if (!listing) return base::system_error("list a folder", errno);
  own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(listing.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return base::system_error("list a folder", errno);
  std::sort(names.begin(), names.end());
  return names;
}

bool set_mode(const base::Fd& folder, const std::string& name, unsigned mode) {
  // An O_PATH descriptor needs no permission; chmod does not take one but through /proc.
  const base::Fd at(::openat(folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!at.valid() || ::fstat(at.get(), &info) != 0) return false;
  if (S_ISLNK(info.st_mode)) return errno = ELOOP, false;
  return ::chmod(("/proc/self/fd/" + std::to_string(at.get())).c_str(), mode) == 0;
}

base::Status remove_tree(const base::Fd& folder, const std::string& name) {
  if (::unlinkat(folder.get(), name.c_str(), 0) == 0 || errno == ENOENT) return base::Ok{};
  if (errno != EISDIR && errno != EPERM) return base::system_error("remove " + name, errno);
  set_mode(folder, name, 0700);
  const base::Fd below(::openat(folder.get(), name.c_str(), kFolderFlags));
  if (!below.valid()) return base::system_error("remove " + name, errno);
  base::Result<std::vector<std::string>> names = names_in(below);
  if (!names) return names.error();
  for (const std::string& inner : *names) {
    if (base::Status s = remove_tree(below, inner); !s) return s;
  }
  if (::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR) == 0) return base::Ok{};
  return base::system_error("remove " + name, errno);
}

const base::Fd& FolderCache::open(std::string_view relative) {
  if (relative.empty()) return root_;
  if (!fd_.valid() || relative != path_) {
    fd_ = open_below(root_, relative);
    path_ = relative;
  }
  return fd_;
}

}  // namespace orch::repo
