#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "as_nobody.h"

// The folder of one test. The destructor removes it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::vector<std::string> entries() const;  // names, sorted

 private:
  std::string path_;
};

// While it exists, nothing can be created in the folder: it is read-only, and root acts as another
// user, because permissions do not stop root.
class ReadOnlyFolder {
 public:
  explicit ReadOnlyFolder(std::string path);
  ~ReadOnlyFolder();
  ReadOnlyFolder(const ReadOnlyFolder&) = delete;
  ReadOnlyFolder& operator=(const ReadOnlyFolder&) = delete;

 private:
  std::string path_;
  std::optional<orch::AsNobody> nobody_;
};

// While it exists, no file of this process can grow beyond `bytes`: a write stops there, and the
// next one fails with EFBIG. It is like a full disk, without the need to fill one.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_;
};

std::string content_of(const std::string& path);
void put_content(const std::string& path, std::string_view bytes);
bool exists(const std::string& path);
mode_t mode_of(const std::string& path);  // permission bits
