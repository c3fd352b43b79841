#include "ci/artifact_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/random.h"
#include "setup/own_programs.h"
#include "store/file_io.h"
#include "store/sparse_copy.h"

namespace orch::ci {
namespace {

using base::Fd;
using base::Result;
using base::Status;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Returns an empty descriptor, with errno, if it fails: ENOTDIR for a symbolic link.
Fd open_or_make(const Fd& parent, const std::string& name) {
  Fd folder(::openat(parent.get(), name.c_str(), kFolderFlags));
  if (folder.valid() || errno != ENOENT) return folder;
  if (::mkdirat(parent.get(), name.c_str(), 0777) != 0 && errno != EEXIST) return {};
  return Fd(::openat(parent.get(), name.c_str(), kFolderFlags));
}

base::Error refused(const std::string& path, int error) {
  if (error == ENOTDIR || error == ELOOP) {
    return {base::ErrorCode::kSystem,
            "artifacts: " + path + " is no folder any more; links are not followed"};
  }
  return base::system_error("artifacts: write " + path, error);
}

}  // namespace

Result<ArtifactFolder> ArtifactFolder::make(const std::string& path) {
  const auto unusable = [&](const std::string& why) {
    return base::usage_error("--artifacts " + path + ": " + why +
                             "; name a folder that orch may write to");
  };
  Result<std::string> real = setup::place_to_be(path);
  if (!real) return unusable(real.error().text);
  ArtifactFolder folder(std::move(real).value());
  const Result<Fd> opened = folder.open("");
  if (!opened) return unusable(opened.error().text);
  const std::string probe = ".orch-" + base::random_hex();
  const Fd file(
      ::openat(opened->get(), probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int error = errno;
  if (!file.valid())
    return unusable("no file can be made there: " + std::generic_category().message(error));
  ::unlinkat(opened->get(), probe.c_str(), 0);
  return folder;
}

Result<Fd> ArtifactFolder::open(std::string_view inner) const {
  const std::string whole = path_ + (inner.empty() ? "" : "/" + std::string(inner));
  Fd at(::open("/", kFolderFlags));
  std::string_view rest = whole;
  while (at.valid() && !rest.empty()) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (!name.empty()) at = open_or_make(at, name);
  }
  if (!at.valid()) return refused(whole, errno);
  return at;
}

template <typename Fill>
Status ArtifactFolder::replace(std::string_view name, const Fill& fill) const {
  const size_t slash = name.rfind('/');
  const bool is_inner = slash != std::string_view::npos;
  const Result<Fd> folder = open(is_inner ? name.substr(0, slash) : "");
  if (!folder) return folder.error();
  const std::string path = path_ + "/" + std::string(name);
  const std::string last(is_inner ? name.substr(slash + 1) : name);
  const std::string temporary = ".orch-" + base::random_hex();  // short, whatever the name
  Fd file(::openat(folder->get(), temporary.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.valid()) return refused(path, errno);
  Status status = fill(file, path);
  if (status) status = store::close_file(std::move(file), path);
  if (status && ::renameat(folder->get(), temporary.c_str(), folder->get(), last.c_str()) != 0) {
    status = refused(path, errno);
  }
  if (!status) ::unlinkat(folder->get(), temporary.c_str(), 0);
  return status;
}

Status ArtifactFolder::write(std::string_view name, std::string_view bytes) const {
  return replace(name, [&](const Fd& file, const std::string& path) {
    return store::write_all(file, path, bytes);
  });
}

Status ArtifactFolder::copy(std::string_view name, const std::string& from) const {
  const Result<Fd> source = store::open_regular_file(from, store::Links::kRefused);
  if (!source) return base::Error{source.error().code, "artifacts: " + source.error().text};
  return replace(name, [&](const Fd& file, const std::string& path) {
    return store::copy_sparsely(*source, from, file, path);
  });
}

}  // namespace orch::ci
