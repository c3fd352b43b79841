#include "store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

enum class Sync : uint8_t { kYes, kNo };

// The new content, whole and, where that is wanted, on the disk, under its temporary name.
base::Status write_temporary(base::Fd file, const std::string& name, std::string_view bytes,
                             mode_t mode, Sync sync) {
  base::Status written = write_all(file, name, bytes);
  if (!written) return written;
  if (::fchmod(file.get(), mode) != 0) return base::system_error("chmod " + name, errno);
  if (sync == Sync::kYes && ::fsync(file.get()) != 0) {
    return base::system_error("sync " + name, errno);
  }
  return close_file(std::move(file), name);
}

base::Status replace(const std::string& path, std::string_view bytes, mode_t mode, Sync sync) {
  std::string temporary = path + ".XXXXXX";
  base::Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return base::system_error("create " + path, errno);
  base::Status status = write_temporary(std::move(file), temporary, bytes, mode, sync);
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = base::system_error("rename " + temporary + " to " + path, errno);
  }
  if (!status) ::unlink(temporary.c_str());
  return status;
}

}  // namespace

base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, Sync::kYes);
}

base::Status write_file_unsynced(const std::string& path, std::string_view bytes, mode_t mode) {
  return replace(path, bytes, mode, Sync::kNo);
}

}  // namespace orch::store
