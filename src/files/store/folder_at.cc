#include "store/folder_at.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <memory>

#include "base/text.h"

namespace orch::store {
namespace {

constexpr int kReadFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Flags for a folder on the way to another one; it need not be readable.
constexpr int kWayFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kMostAtOnce = PATH_MAX - 1;  // bytes of a path that one system call takes

// Opens a path in one system call, if the kernel has it (Linux 5.6) and the container allows it.
base::Fd open_at_once(const base::Fd& root, const std::string& relative, int flags,
                      uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | resolve;
  return base::Fd(
      static_cast<int>(::syscall(SYS_openat2, root.get(), relative.c_str(), &how, sizeof how)));
}

bool lacks_open_at_once() { return errno == ENOSYS || errno == EPERM; }

base::Fd open_by_names(const base::Fd& root, std::string_view relative, int flags) {
  base::Fd at(::openat(root.get(), ".", relative.empty() ? flags : kWayFlags));
  while (at.valid() && !relative.empty()) {
    const std::string name(base::take_until(relative, '/'));
    // No path of ours contains "..", but one from a manifest that is not ours may.
    if (name == "..") return errno = EINVAL, base::Fd();
    at.reset(::openat(at.get(), name.empty() ? "." : name.c_str(),
                      relative.empty() ? flags : kWayFlags));
  }
  return at;
}

base::Fd open_part(const base::Fd& root, std::string_view relative, int flags) {
  base::Fd at = open_at_once(root, relative.empty() ? "." : std::string(relative), flags, 0);
  if (at.valid() || !lacks_open_at_once()) return at;
  return open_by_names(root, relative, flags);
}

bool is_on_device(const base::Fd& folder, dev_t device) {
  struct stat info {};
  return ::fstat(folder.get(), &info) == 0 && info.st_dev == device;
}

// Removes a tree with a handful of descriptors, however deep it is: only the present folder is
// open. Its parent is reached by "..", which must be the folder that it was entered from.
class TreeRemover {
 public:
  explicit TreeRemover(const base::Fd& top) : top_(top) {}

  base::Status remove(const std::string& name) {
    if (!enter_or_unlink(top_, name)) return std::move(failure_);
    while (!levels_.empty()) {
      if (levels_.back().names.empty()) {
        if (!leave()) break;
        continue;
      }
      const std::string inner = std::move(levels_.back().names.back());
      levels_.back().names.pop_back();
      enter_or_unlink(at_, inner);
    }
    return std::move(failure_);
  }

 private:
  struct Level {
    std::string name;
    std::vector<std::string> names;  // in the folder, not removed yet
    dev_t device = 0;
    ino_t inode = 0;
  };

  void fail(const std::string& name, int why) {
    if (!failure_) return;
    failure_ = why == EXDEV ? base::Error{base::ErrorCode::kSystem,
                                          "remove " + name + ": something is mounted there"}
                            : base::system_error("remove " + name, why);
  }

  // Removes anything but a folder. True if the name is a folder, which then becomes the present
  // one.
  bool enter_or_unlink(const base::Fd& parent, const std::string& name) {
    if (::unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return false;
    const int why = errno;
    if (why != EISDIR && why != EPERM) return fail(name, why), false;
    const base::Fd way = way_to(parent, name);
    if (!way.valid()) return fail(name, errno == ENOTDIR ? why : errno), false;
    struct stat info {};
    if (::fstat(way.get(), &info) != 0) return fail(name, errno), false;
    // A failure is not reported here: opening or reading the folder will fail, too.
    if ((info.st_mode & 0700) != 0700) set_mode(parent, name, 0700);
    base::Fd folder(::openat(way.get(), ".", kReadFlags));
    if (!folder.valid()) return fail(name, errno), false;
    base::Result<std::vector<std::string>> names = names_in(folder);
    if (!names) {
      if (failure_) failure_ = names.error();
      return false;
    }
    levels_.push_back({name, std::move(names).value(), info.st_dev, info.st_ino});
    at_ = std::move(folder);
    return true;
  }

  // Opens the folder `name`; fails with EXDEV if something is mounted there.
  static base::Fd way_to(const base::Fd& parent, const std::string& name) {
    base::Fd way = open_at_once(parent, name, kWayFlags, RESOLVE_NO_XDEV);
    if (way.valid() || !lacks_open_at_once()) return way;
    way.reset(::openat(parent.get(), name.c_str(), kWayFlags));
    struct stat info {};
    if (way.valid() && ::fstat(parent.get(), &info) == 0 && !is_on_device(way, info.st_dev)) {
      return errno = EXDEV, base::Fd();
    }
    return way;
  }

  // Goes back to the parent and removes the folder. False if the removal cannot go on.
  bool leave() {
    const std::string name = std::move(levels_.back().name);
    levels_.pop_back();
    base::Fd above;
    if (!levels_.empty()) {
      above.reset(::openat(at_.get(), "..", kReadFlags));
      struct stat info {};
      const bool known = above.valid() && ::fstat(above.get(), &info) == 0 &&
                         info.st_dev == levels_.back().device &&
                         info.st_ino == levels_.back().inode;
      if (!known) return fail(name, ESTALE), false;  // somebody has moved it
    }
    const base::Fd& parent = levels_.empty() ? top_ : above;
    if (::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      fail(name, errno);
    }
    at_ = std::move(above);
    return true;
  }

  const base::Fd& top_;
  base::Fd at_;
  std::vector<Level> levels_;
  base::Status failure_ = base::Ok{};
};

}  // namespace

base::Fd open_root(const std::string& absolute) {
  base::Fd top(::open("/", kReadFlags));
  if (!top.valid()) return {};
  return open_below(top, absolute);
}

base::Fd open_below(const base::Fd& root, std::string_view relative) {
  while (relative.starts_with('/')) relative.remove_prefix(1);
  base::Fd way;
  while (relative.size() > kMostAtOnce) {
    const size_t slash = relative.rfind('/', kMostAtOnce);
    if (slash == std::string_view::npos) return errno = ENAMETOOLONG, base::Fd();
    way = open_part(way.valid() ? way : root, relative.substr(0, slash), kWayFlags);
    if (!way.valid()) return {};
    relative.remove_prefix(slash + 1);
  }
  return open_part(way.valid() ? way : root, relative, kReadFlags);
}

base::Result<std::vector<std::string>> names_in(const base::Fd& folder) {
  base::Fd own(::openat(folder.get(), ".", kReadFlags));
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
  // O_PATH does not need permissions on the file; chmod(2) takes its descriptor only
  // through /proc.
  const base::Fd at(::openat(folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!at.valid() || ::fstat(at.get(), &info) != 0) return false;
  if (S_ISLNK(info.st_mode)) return errno = ELOOP, false;
  return ::chmod(("/proc/self/fd/" + std::to_string(at.get())).c_str(), mode) == 0;
}

base::Status remove_tree(const base::Fd& folder, const std::string& name) {
  return TreeRemover(folder).remove(name);
}

const base::Fd& FolderCache::open(std::string_view relative) {
  constexpr size_t kStride = 2048;  // bytes of path between two folders that stay open
  if (relative.empty()) return root_;
  if (fd_.valid() && relative == path_) return fd_;
  const auto leads_to = [&](size_t length) {
    return relative.size() > length && relative[length] == '/' &&
           relative.starts_with(std::string_view(path_).substr(0, length));
  };
  while (!on_the_way_.empty() && !leads_to(on_the_way_.back().length)) on_the_way_.pop_back();
  size_t done = on_the_way_.empty() ? 0 : on_the_way_.back().length;
  const bool below = fd_.valid() && leads_to(path_.size());
  if (below && path_.size() - done >= kStride) {
    on_the_way_.push_back({path_.size(), std::move(fd_)});
  }
  const base::Fd& from = below && fd_.valid()  ? fd_
                         : on_the_way_.empty() ? root_
                                               : on_the_way_.back().fd;
  if (below) done = path_.size();
  base::Fd opened = open_below(from, done == 0 ? relative : relative.substr(done + 1));
  const int why = errno;
  fd_ = std::move(opened);
  path_ = relative;
  errno = why;
  return fd_;
}

}  // namespace orch::store
