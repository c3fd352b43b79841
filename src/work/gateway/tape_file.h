#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "tape/tape.h"

namespace orch::gateway {

// A tape that is being written: whole lines, each at once.
class TapeFile {
 public:
  // Makes the file with mode 0600. An old tape of that name is replaced; a file with something else
  // in it is refused.
  static base::Result<TapeFile> make(const std::string& path, const tape::Header& header);

  // `line` is an entry's. An error is final: the lines before it stay, without half a line.
  base::Status write(const std::string& line);
  const std::string& path() const { return path_; }
  int64_t entries() const { return entries_; }

 private:
  TapeFile(base::Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  base::Status append(const std::string& line);

  base::Fd file_;
  std::string path_;
  int64_t size_ = 0;  // in bytes
  int64_t entries_ = 0;
};

}  // namespace orch::gateway
