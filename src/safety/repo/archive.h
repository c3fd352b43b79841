#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "repo/manifest.h"

namespace orch::repo {

// Writes one file that holds the bytes of many files, one after the other. A file for each would
// cost a directory entry and an inode, several times the cost of reading the bytes.
class ArchiveWriter {
 public:
  static base::Result<ArchiveWriter> create(const std::string& path);

  // Appends up to wanted_bytes of a regular file; bytes that are added to the file during the call
  // are not read. Returns the offset, number and checksum of the appended bytes.
  struct Appended {
    int64_t offset = 0, bytes = 0;
    uint64_t checksum = 0;
  };
  base::Result<Appended> append(const base::Fd& file, int64_t wanted_bytes);
  // Flushes the file and waits until all of it is on the disk.
  base::Status finish();
  int64_t size() const { return written_ + static_cast<int64_t>(buffer_.size()); }

 private:
  ArchiveWriter(std::string path, base::Fd file);
  base::Status flush();

  std::string path_;
  base::Fd file_;
  std::string buffer_;
  int64_t written_ = 0;
};

// Reads the bytes of the files that a snapshot has kept.
class KeptBytes {
 public:
  static base::Result<KeptBytes> open(const std::string& snapshot_folder, const Manifest& manifest);

  // Whether `file`, which has the same size, has the content that was kept for the entry. An Error
  // if the kept bytes cannot be read any more or are damaged.
  base::Result<bool> equals(const KeptEntry& kept, const base::Fd& file) const;
  base::Status write_to(const KeptEntry& kept, const base::Fd& file) const;
  // Whether each entry's archive exists and is long enough for it.
  base::Status check_lengths(const Manifest& manifest) const;
  // The first bytes of the kept content, at most max_bytes; "" if they cannot be read.
  std::string beginning(const KeptEntry& kept, size_t max_bytes) const;

 private:
  // The descriptor of the file with the entry's bytes. An Error if it is a hard link whose file was
  // written to.
  base::Result<int> source(const KeptEntry& kept, base::Fd& opened) const;

  // The path of the file with the entry's bytes, for errors.
  std::string file_of(const KeptEntry& kept) const;

  std::string path_;                // of the snapshot
  std::vector<std::string> names_;  // of the archives
  base::Fd folder_;
  std::vector<base::Fd> archives_;
};

// The first bytes that a snapshot has kept of the file at an absolute path; nullopt if it has no
// such path.
std::optional<std::string> kept_text(const Manifest& manifest, const KeptBytes& bytes,
                                     const std::string& absolute, size_t max_bytes);

// A snapshot that has been opened for reading; one without any root is an error.
struct OpenedSnapshot {
  Manifest manifest;
  KeptBytes bytes;
};
base::Result<OpenedSnapshot> open_snapshot(const std::string& folder);

}  // namespace orch::repo
