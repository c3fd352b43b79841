#include "store/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

// The new content, whole and on the disk, under its temporary name.
base::Status write_temporary(base::Fd file, const std::string& name, std::string_view bytes,
                             mode_t mode) {
  base::Status written = write_all(file, name, bytes);
  if (!written) return written;
  if (::fchmod(file.get(), mode) != 0) return base::system_error("chmod " + name, errno);
  if (::fsync(file.get()) != 0) return base::system_error("sync " + name, errno);
  if (::close(file.release()) != 0) return base::system_error("close " + name, errno);
  return base::Ok{};
}

}  // namespace

base::Status write_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  base::Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.valid()) return base::system_error("create " + path, errno);
  base::Status status = write_temporary(std::move(file), temporary, bytes, mode);
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0) {
    status = base::system_error("rename " + temporary + " to " + path, errno);
  }
  if (!status) ::unlink(temporary.c_str());
  return status;
}

}  // namespace orch::store
