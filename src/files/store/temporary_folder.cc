#include "store/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "pty/cgroup.h"
#include "pty/containment.h"
#include "pty/process_identity.h"
#include "store/file_io.h"
#include "store/folder_at.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "orch-";
constexpr size_t kRandom = 6;  // characters that mkdtemp(3) replaces
constexpr size_t kMostOwnerBytes = 4096;

// The owner file is removed last, so that a removal that was interrupted can be continued later.
base::Status remove_outer(const std::string& outer) {
  const fs::path path(outer);
  const base::Fd parent(::open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const base::Fd folder = open_below(parent, path.filename().string());
  if (folder.valid()) {
    if (base::Status s = remove_tree(folder, "tmp"); !s) return s;
  }
  return remove_tree(parent, path.filename().string());
}

// The owner of a folder according to its file: a process identity and the id of a run, on a line
// each.
struct Owner {
  pty::ProcessIdentity process;
  std::string run;
};

std::string owner_text(std::string_view run) {
  return pty::identity_text(pty::own_identity()) + "\n" + std::string(run) + "\n";
}

std::optional<Owner> owner_from(std::string_view text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.ends_with('\n')) return std::nullopt;
  std::optional<pty::ProcessIdentity> process = pty::identity_from(text.substr(0, end));
  if (!process) return std::nullopt;
  const std::string_view run = text.substr(end + 1, text.size() - end - 2);
  if (run.empty() || run.find('\n') != std::string_view::npos) return std::nullopt;
  return Owner{*std::move(process), std::string(run)};
}

// Reads through the folder's descriptor, because somebody may replace the folder at this path.
std::optional<Owner> owner_of(const std::string& outer) {
  const base::Fd folder(
      ::open(outer.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!folder.valid() || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid() ||
      (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return std::nullopt;
  }
  const base::Fd file(
      ::openat(folder.get(), "owner", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_uid != ::geteuid() || info.st_nlink != 1) {
    return std::nullopt;
  }
  const base::Result<std::string> text = read_open_file(file, outer + "/owner", kMostOwnerBytes);
  return text ? owner_from(*text) : std::nullopt;
}

bool is_abandoned(const std::string& outer) {
  const std::optional<Owner> owner = owner_of(outer);
  if (!owner || pty::whereabouts(owner->process) != pty::Whereabouts::kEnded) return false;
  return pty::Containment(owner->run, pty::Cgroup::find_anywhere(owner->run)).count() == 0;
}

base::Status write_owner(const std::string& path, std::string_view run) {
  base::Result<base::Fd> file = open_for_writing(path, O_EXCL | O_NOFOLLOW);
  if (!file) return file.error();
  if (base::Status s = write_all(*file, path, owner_text(run)); !s) return s;
  return close_file(std::move(file).value(), path);
}

}  // namespace

base::Result<TemporaryFolder> TemporaryFolder::make(std::string_view run,
                                                    const std::string& parent) {
  int error = 0;
  for (const std::string_view place :
       {std::string_view(parent), kTemporaryParents[0], kTemporaryParents[1]}) {
    if (place.empty()) continue;
    std::string path = std::string(place) + "/" + std::string(kPrefix) + "XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      error = errno;
      continue;
    }
    TemporaryFolder folder(path);
    if (base::Status s = write_owner(path + "/owner", run); !s) return s.error();
    if (::mkdir(folder.path().c_str(), 0700) == 0) return folder;
    error = errno;
  }
  return base::system_error("a folder for temporary files in /tmp", error);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : outer_(std::exchange(other.outer_, "")) {}

TemporaryFolder::~TemporaryFolder() {
  if (!outer_.empty()) (void)remove_outer(outer_);  // `orch gc` removes the rest
}

std::vector<std::string> abandoned_temporary_folders(std::span<const std::string_view> parents) {
  std::vector<std::string> abandoned;
  for (const std::string_view parent : parents) {
    std::error_code failure;
    for (fs::directory_iterator entry(parent, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
      const std::string name = entry->path().filename();
      if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + kRandom) continue;
      if (is_abandoned(entry->path())) abandoned.push_back(entry->path());
    }
  }
  return abandoned;
}

base::Status remove_temporary_folder(const std::string& outer) {
  if (!is_abandoned(outer)) return base::Ok{};  // another process has removed it, or made it anew
  base::Status removed = remove_outer(outer);
  if (removed) return removed;
  return base::Error{removed.error().code, outer + " was not removed: " + removed.error().text};
}

}  // namespace orch::store
