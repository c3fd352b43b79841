#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "repo/manifest.h"

namespace orch::repo {

// One file that holds the bytes of many, one after the other: a file for each would cost a
// directory entry and an inode per file, several times what reading it costs.
class ArchiveWriter {
 public:
  static base::Result<ArchiveWriter> create(const std::string& path);

  // Appends the first bytes of a regular file, which may be fewer than wanted; where they begin,
  // how many they were, and their checksum. A file that grows meanwhile is not followed.
  struct Appended {
    int64_t offset = 0, bytes = 0;
    uint64_t checksum = 0;
  };
  base::Result<Appended> append(const base::Fd& file, int64_t wanted_bytes);
  // Until all of it is on the disk.
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

// The bytes that a snapshot keeps.
class KeptBytes {
 public:
  static base::Result<KeptBytes> open(const std::string& snapshot_folder, const Manifest& manifest);

  // Whether `file`, of the same size, holds what was kept of the entry. An Error when that cannot
  // be read any more, or is not what was once written there.
  base::Result<bool> equals(const KeptEntry& kept, const base::Fd& file) const;
  base::Status write_to(const KeptEntry& kept, const base::Fd& file) const;
  // Whether each entry's archive is one of these, and as long as the entries need it.
  base::Status check_lengths(const Manifest& manifest) const;
  // At most so many bytes of it; "" when they cannot be read.
  std::string beginning(const KeptEntry& kept, size_t max_bytes) const;

 private:
  // The file with the entry's bytes. An object whose link was written to in place is an Error.
  base::Result<int> source(const KeptEntry& kept, base::Fd& opened) const;

  base::Fd folder_;
  std::vector<base::Fd> archives_;
};

}  // namespace orch::repo
