#include "repo/archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>

#include "repo/checksum.h"
#include "store/file_io.h"

namespace orch::repo {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kChunkBytes = size_t{64} << 10;

base::Error lost(const std::string& path) {
  return {base::ErrorCode::kSystem, path + ": the snapshot has lost its bytes"};
}

// Opens a regular file of a snapshot; empty, with errno, if that is not one. O_NONBLOCK, because
// opening a pipe would block otherwise.
base::Fd open_kept(const base::Fd& folder, const std::string& name) {
  const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  base::Fd file(::openat(folder.get(), name.c_str(), flags));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    const int why = errno;
    file.reset();
    errno = why;
    return file;
  }
  if (S_ISREG(info.st_mode)) return file;
  file.reset();
  errno = EINVAL;
  return file;
}

// Passes the kept bytes to `take`, piece by piece, until it returns false. If all were read and
// their checksum is wrong, that is an Error at the end.
base::Status read_kept(int source, const std::string& file, const KeptEntry& kept,
                       const std::function<bool(std::string_view)>& take) {
  std::array<char, kChunkBytes> chunk;
  int64_t offset = kept.kept == Kept::kArchived ? kept.offset : 0;
  int64_t left = kept.entry.node.size;
  Checksum sum;
  while (left > 0) {
    const size_t wanted = std::min(chunk.size(), static_cast<size_t>(left));
    const ssize_t got = ::pread(source, chunk.data(), wanted, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_error("read " + file, errno);
    if (got == 0) return lost(kept.entry.path);
    const std::string_view bytes(chunk.data(), static_cast<size_t>(got));
    if (!take(bytes)) return base::Ok{};
    sum.add(bytes);
    offset += got;
    left -= got;
  }
  return !kept.checksum || *kept.checksum == sum.value() ? base::Status(base::Ok{})
                                                         : lost(kept.entry.path);
}

}  // namespace

ArchiveWriter::ArchiveWriter(std::string path, base::Fd file)
    : path_(std::move(path)), file_(std::move(file)) {}

base::Result<ArchiveWriter> ArchiveWriter::create(const std::string& path) {
  base::Result<base::Fd> file = store::open_for_writing(path, O_EXCL);
  if (!file) return file.error();
  return ArchiveWriter(path, std::move(file).value());
}

base::Result<ArchiveWriter::Appended> ArchiveWriter::append(const base::Fd& file,
                                                            int64_t wanted_bytes) {
  Appended appended{size(), 0, 0};
  Checksum sum;
  while (appended.bytes < wanted_bytes) {
    if (buffer_.size() >= kBufferBytes) {
      if (base::Status s = flush(); !s) return s.error();
    }
    const int64_t left = wanted_bytes - appended.bytes;
    const auto wanted = static_cast<size_t>(std::min<int64_t>(left, kChunkBytes));
    const size_t before = buffer_.size();
    buffer_.resize(before + wanted);
    ssize_t got = 0;
    do {
      got = ::read(file.get(), buffer_.data() + before, wanted);
    } while (got < 0 && errno == EINTR);
    buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) return base::system_error("read", errno);
    if (got == 0) break;
    appended.bytes += got;
    sum.add(std::string_view(buffer_).substr(before));
  }
  appended.checksum = sum.value();
  return appended;
}

// Zeros become a hole, so that a file that is one takes no room.
base::Status ArchiveWriter::flush() {
  const bool is_empty = buffer_.find_first_not_of('\0') == std::string::npos;
  if (is_empty && ::lseek(file_.get(), size(), SEEK_SET) < 0) {
    return base::system_error("write " + path_, errno);
  }
  if (is_empty && ::ftruncate(file_.get(), size()) != 0) {
    return base::system_error("write " + path_, errno);
  }
  if (!is_empty) {
    if (base::Status s = store::write_all(file_, path_, buffer_); !s) return s;
  }
  const auto bytes = static_cast<int64_t>(buffer_.size());
  // Only begins to write to the disk, so that finish() has less to wait for. A failure is ignored:
  // then finish() takes longer.
  (void)::sync_file_range(file_.get(), written_, bytes, SYNC_FILE_RANGE_WRITE);
  written_ += bytes;
  buffer_.clear();
  return base::Ok{};
}

base::Status ArchiveWriter::finish() {
  if (base::Status s = flush(); !s) return s;
  if (::fdatasync(file_.get()) == 0) return base::Ok{};
  return base::system_error("sync " + path_, errno);
}

base::Result<KeptBytes> KeptBytes::open(const std::string& snapshot_folder,
                                        const Manifest& manifest) {
  KeptBytes bytes;
  bytes.path_ = snapshot_folder;
  bytes.names_ = manifest.archives;
  bytes.folder_.reset(::open(snapshot_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!bytes.folder_.valid()) return base::system_error(snapshot_folder, errno);
  for (const std::string& name : manifest.archives) {
    bytes.archives_.push_back(open_kept(bytes.folder_, name));
    if (!bytes.archives_.back().valid()) {
      return base::system_error(snapshot_folder + "/" + name, errno);
    }
  }
  return bytes;
}

base::Status KeptBytes::check_lengths(const Manifest& manifest) const {
  std::vector<int64_t> needed(archives_.size());
  for (const KeptRoot& root : manifest.roots) {
    for (const KeptEntry& kept : root.entries) {
      if (kept.kept != Kept::kArchived) continue;
      if (kept.archive >= needed.size()) return lost(kept.entry.path);
      int64_t& length = needed[kept.archive];
      length = std::max(length, kept.offset + kept.entry.node.size);
    }
  }
  for (size_t i = 0; i < archives_.size(); ++i) {
    struct stat info {};
    if (::fstat(archives_[i].get(), &info) != 0) {
      return base::system_error("read " + path_ + "/" + names_[i], errno);
    }
    if (info.st_size < needed[i]) return lost(manifest.archives[i]);
  }
  return base::Ok{};
}

base::Result<int> KeptBytes::source(const KeptEntry& kept, base::Fd& opened) const {
  if (kept.kept == Kept::kArchived) return archives_[kept.archive].get();
  if (kept.kept != Kept::kLinked) return lost(kept.entry.path);
  const std::string name = "objects/" + std::to_string(kept.offset);
  opened = open_kept(folder_, name);
  struct stat info {};
  if (!opened.valid() || ::fstat(opened.get(), &info) != 0) {
    return base::system_error(kept.entry.path + ": read " + file_of(kept), errno);
  }
  const Node now = node_of(info);
  if (now.size != kept.entry.node.size || now.mtime_ns != kept.entry.node.mtime_ns) {
    return lost(kept.entry.path);
  }
  return opened.get();
}

std::string KeptBytes::file_of(const KeptEntry& kept) const {
  if (kept.kept == Kept::kLinked) return path_ + "/objects/" + std::to_string(kept.offset);
  return kept.archive < names_.size() ? path_ + "/" + names_[kept.archive] : path_;
}

base::Result<bool> KeptBytes::equals(const KeptEntry& kept, const base::Fd& file) const {
  base::Fd opened;
  base::Result<int> from = source(kept, opened);
  if (!from) return from.error();
  std::array<char, kChunkBytes> chunk;
  int64_t offset = 0;
  bool equal = true;
  const base::Status read = read_kept(*from, file_of(kept), kept, [&](std::string_view bytes) {
    size_t held = 0;
    while (held < bytes.size()) {
      const ssize_t got = ::pread(file.get(), chunk.data() + held, bytes.size() - held,
                                  offset + static_cast<int64_t>(held));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return equal = false;
      held += static_cast<size_t>(got);
    }
    offset += static_cast<int64_t>(held);
    return equal = bytes == std::string_view(chunk.data(), held);
  });
  if (!read) return read.error();
  return equal;
}

base::Status KeptBytes::write_to(const KeptEntry& kept, const base::Fd& file) const {
  base::Fd opened;
  base::Result<int> from = source(kept, opened);
  if (!from) return from.error();
  base::Status written = base::Ok{};
  const base::Status read = read_kept(*from, file_of(kept), kept, [&](std::string_view bytes) {
    written = store::write_all(file, kept.entry.path, bytes);
    return written.ok();
  });
  return read ? written : read;
}

std::string KeptBytes::beginning(const KeptEntry& kept, size_t max_bytes) const {
  base::Fd opened;
  base::Result<int> from = source(kept, opened);
  std::string text;
  if (!from) return text;
  const base::Status read = read_kept(*from, file_of(kept), kept, [&](std::string_view bytes) {
    text += bytes.substr(0, max_bytes - text.size());
    return text.size() < max_bytes;
  });
  return read ? text : "";
}

std::optional<std::string> kept_text(const Manifest& manifest, const KeptBytes& bytes,
                                     const std::string& absolute, size_t max_bytes) {
  for (const KeptRoot& root : manifest.roots) {
    if (!is_within(absolute, root.spec.path) || absolute.size() <= root.spec.path.size()) continue;
    const std::string path = absolute.substr(root.spec.path.size() + 1);
    for (const KeptEntry& kept : root.entries) {
      if (kept.entry.path == path) return bytes.beginning(kept, max_bytes);
    }
  }
  return std::nullopt;
}

base::Result<OpenedSnapshot> open_snapshot(const std::string& folder) {
  base::Result<Manifest> manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  if (manifest->roots.empty()) return base::usage_error(folder + " is of no folder");
  base::Result<KeptBytes> bytes = KeptBytes::open(folder, *manifest);
  if (!bytes) return bytes.error();
  return OpenedSnapshot{std::move(manifest).value(), std::move(bytes).value()};
}

}  // namespace orch::repo
