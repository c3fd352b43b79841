#include "store/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace orch::store {

base::Result<base::Fd> open_for_writing(const std::string& path, int flags) {
  base::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600));
  if (!file.valid()) return base::system_error("create " + path, errno);
  return file;
}

base::Status write_all(const base::Fd& file, const std::string& path, std::string_view bytes,
                       size_t* written) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      if (written != nullptr) *written = done;
      return base::system_error("write " + path, error);
    }
    done += static_cast<size_t>(n);
  }
  if (written != nullptr) *written = done;
  return base::Ok{};
}

base::Status close_file(base::Fd file, const std::string& path) {
  if (::close(file.release()) != 0) return base::system_error("close " + path, errno);
  return base::Ok{};
}

void cut_file(const base::Fd& file, int64_t size) {
  [[maybe_unused]] const int ignored = ::ftruncate(file.get(), size);
}

base::Result<std::string> read_file(const std::string& path, size_t max_bytes) {
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return base::system_error("open " + path, errno);
  return read_open_file(file, path, max_bytes);
}

base::Result<base::Fd> open_regular_file(const std::string& path, Links links) {
  const int flags = links == Links::kRefused ? O_NOFOLLOW : 0;
  base::Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return base::system_error("open " + path, errno);
  }
  if (!S_ISREG(info.st_mode)) return base::usage_error("open " + path + ": no regular file");
  return file;
}

base::Result<std::string> read_regular_file(const std::string& path, size_t max_bytes,
                                            Links links) {
  const base::Result<base::Fd> file = open_regular_file(path, links);
  if (!file) return file.error();
  return read_open_file(*file, path, max_bytes);
}

base::Result<std::string> read_open_file(const base::Fd& file, const std::string& path,
                                         size_t max_bytes) {
  const auto too_long = [&] {
    return base::usage_error("read " + path + ": more than " + std::to_string(max_bytes) +
                             " bytes");
  };
  std::string bytes;
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode)) {
    const auto size = static_cast<size_t>(info.st_size);
    if (size > max_bytes) return too_long();  // unread: it may be a hole of 1 TB
    bytes.reserve(size);
  }
  std::array<char, 64 << 10> chunk;
  while (true) {
    const ssize_t n = ::read(file.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::system_error("read " + path, errno);
    if (n == 0) return bytes;
    bytes.append(chunk.data(), static_cast<size_t>(n));
    if (bytes.size() > max_bytes) return too_long();
  }
}

}  // namespace orch::store
