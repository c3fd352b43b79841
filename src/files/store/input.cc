#include "store/input.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/author.h"
#include "base/path.h"
#include "base/text.h"
#include "store/named_place.h"

namespace orch::store {
namespace {

using base::Fd;
using base::Result;

// Opens what is at the place, without reading from it or waiting for its writer.
Fd found_at(const NamedPlace& place) {
  constexpr int kFlags = O_PATH | O_CLOEXEC;
  if (place.name.empty()) return base::duplicate(place.folder.get());
  // A name in /proc is a link of the kernel's, which leads to an open file.
  const int links = base::is_within(place.path, "/proc") ? 0 : O_NOFOLLOW;
  return Fd(::openat(place.folder.get(), place.name.c_str(), kFlags | links));
}

}  // namespace

Result<Fd> open_input(const std::string& path) {
  const std::string what = "read " + base::printable(path);
  const Result<NamedPlace> place = find_named_place(path, Missing::kError, AgentsLinks::kInside);
  if (!place && place.error().code == base::ErrorCode::kNotFound) {
    const Fd there(::open(path.c_str(), O_PATH | O_CLOEXEC));
    return base::system_error(what, there.valid() ? ENOENT : errno);
  }
  if (!place) return place.error();
  const Fd found = found_at(*place);
  struct stat info {};
  if (!found.valid() || ::fstat(found.get(), &info) != 0) return base::system_error(what, errno);
  if (S_ISDIR(info.st_mode)) return base::system_error(what, EISDIR);
  if (!S_ISREG(info.st_mode) && !base::is_of_user(place->path)) {
    return base::usage_error("cannot " + what +
                             ": it is not a regular file, where others than you may write");
  }
  const std::string again = "/proc/self/fd/" + std::to_string(found.get());
  Fd file(::open(again.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.valid()) return base::system_error(what, errno);
  return file;
}

}  // namespace orch::store
