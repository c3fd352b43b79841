#include "store/sparse_copy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <vector>

#include "store/file_io.h"

namespace orch::store {
namespace {

constexpr size_t kChunk = 256 << 10;

// The beginning of the next data at or after `at`; nullopt after the last.
std::optional<off_t> next_data(const base::Fd& file, off_t at) {
  const off_t data = ::lseek(file.get(), at, SEEK_DATA);
  if (data >= 0) return data;
  if (errno == ENXIO) return std::nullopt;
  return at;  // a disk without holes
}

// The end of the data: a hole, or the end of the file.
off_t end_of_data(const base::Fd& file, off_t at, off_t size) {
  const off_t hole = ::lseek(file.get(), at, SEEK_HOLE);
  return hole > at ? std::min(hole, size) : size;
}

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

// Returns where reading ended: at `end`, or before it if the file has become shorter.
base::Result<off_t> copy_data(const base::Fd& from, const std::string& from_path,
                              const base::Fd& to, const std::string& to_path, off_t at, off_t end) {
  std::vector<char> chunk(kChunk);
  while (at < end) {
    const size_t wanted = std::min<size_t>(chunk.size(), static_cast<size_t>(end - at));
    const ssize_t count = ::pread(from.get(), chunk.data(), wanted, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::system_error("read " + from_path, errno);
    if (count == 0) return at;
    const std::string_view bytes(chunk.data(), static_cast<size_t>(count));
    if (!is_zero(bytes)) {
      if (::lseek(to.get(), at, SEEK_SET) < 0) return base::system_error("write " + to_path, errno);
      if (base::Status s = write_all(to, to_path, bytes); !s) return s.error();
    }
    at += count;
  }
  return at;
}

}  // namespace

base::Status copy_sparsely(const base::Fd& from, const std::string& from_path, const base::Fd& to,
                           const std::string& to_path) {
  struct stat info {};
  if (::fstat(from.get(), &info) != 0) return base::system_error("read " + from_path, errno);
  off_t at = 0, size = info.st_size;
  while (at < size) {
    const std::optional<off_t> data = next_data(from, at);
    if (!data || *data >= size) break;
    const off_t end = end_of_data(from, *data, size);
    const base::Result<off_t> read = copy_data(from, from_path, to, to_path, *data, end);
    if (!read) return read.error();
    at = end;
    if (*read < end) size = *read;
  }
  if (::ftruncate(to.get(), size) != 0) return base::system_error("write " + to_path, errno);
  return base::Ok{};
}

}  // namespace orch::store
