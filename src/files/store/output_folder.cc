#include "store/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/random.h"
#include "base/text.h"
#include "store/file_io.h"
#include "store/named_place.h"
#include "store/replace_file.h"
#include "store/sparse_copy.h"

namespace orch::store {
namespace {

using base::Fd;
using base::Result;
using base::Status;

constexpr int kOutputFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Returns an empty descriptor, with errno, if it fails: ENOTDIR for a symbolic link.
Fd open_or_make(const Fd& parent, const std::string& name) {
  Fd folder(::openat(parent.get(), name.c_str(), kOutputFolderFlags));
  if (folder.valid() || errno != ENOENT) return folder;
  if (::mkdirat(parent.get(), name.c_str(), 0777) != 0 && errno != EEXIST) return {};
  return Fd(::openat(parent.get(), name.c_str(), kOutputFolderFlags));
}

}  // namespace

Result<OutputFolder> OutputFolder::make(const std::string& path, const std::string& option) {
  const auto unusable = [&](const std::string& why) {
    return base::usage_error(option + " " + path + ": " + why +
                             "; name a folder that orch may write to");
  };
  Result<NamedPlace> place = find_named_place(path, Missing::kRest, AgentsLinks::kRefused);
  if (!place) return unusable(place.error().text);
  OutputFolder folder(std::move(place->path), option);
  const Result<Fd> opened = folder.open("");
  if (!opened) return unusable(opened.error().text);
  const std::string probe = ".orch-" + base::random_hex();
  const Fd file(
      ::openat(opened->get(), probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int error = errno;
  if (!file.valid()) {
    return unusable("no file can be made there: " + std::generic_category().message(error));
  }
  ::unlinkat(opened->get(), probe.c_str(), 0);
  return folder;
}

Result<Fd> OutputFolder::open(std::string_view inner) const {
  const std::string whole = path_ + (inner.empty() ? "" : "/" + std::string(inner));
  Fd at(::open("/", kOutputFolderFlags));
  std::string_view rest = whole;
  while (at.valid() && !rest.empty()) {
    const std::string name(base::take_until(rest, '/'));
    if (!name.empty()) at = open_or_make(at, name);
  }
  if (at.valid()) return at;
  if (errno == ENOTDIR || errno == ELOOP) {
    return base::Error{base::ErrorCode::kSystem,
                       whole + " is not a folder (links are not followed)"};
  }
  return base::system_error("write " + whole, errno);
}

Status OutputFolder::replace(
    std::string_view name, const std::function<Status(const Fd&, const std::string&)>& fill) const {
  const size_t slash = name.rfind('/');
  const bool is_inner = slash != std::string_view::npos;
  const Result<Fd> folder = open(is_inner ? name.substr(0, slash) : "");
  if (!folder) return base::Error{folder.error().code, option_ + ": " + folder.error().text};
  NewFile file;
  file.mode = 0666;
  file.umask = NewFile::Umask::kObeyed;
  file.sync = Sync::kNone;
  Status status = replace_file(*folder, std::string(is_inner ? name.substr(slash + 1) : name),
                               path_ + "/" + std::string(name), file, fill);
  if (status) return status;
  return base::Error{status.error().code, option_ + ": " + status.error().text};
}

Status OutputFolder::write(std::string_view name, std::string_view bytes) const {
  return replace(
      name, [&](const Fd& file, const std::string& path) { return write_all(file, path, bytes); });
}

Status OutputFolder::copy(std::string_view name, const std::string& from) const {
  const Result<Fd> source = open_regular_file(from, Links::kRefused);
  if (!source) return base::Error{source.error().code, option_ + ": " + source.error().text};
  return replace(name, [&](const Fd& file, const std::string& path) {
    return copy_sparsely(*source, from, file, path);
  });
}

}  // namespace orch::store
