#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::setup {

// A program file on the disk and its arguments; if the file is replaced, at least one of these
// differs.
struct Binary {
  std::vector<std::string> command;  // the file, without symbolic links, and the arguments
  int64_t size = 0;                  // in bytes
  int64_t modified_ns = 0, changed_ns = 0;
  bool operator==(const Binary&) const = default;
};
// nullopt if the file does not exist.
std::optional<Binary> binary_of(const std::string& file, const std::vector<std::string>& arguments);

// The versions that programs reported when they were asked. If its file is missing, broken or of
// another format, the cache is empty, because everything in it can be asked again.
class VersionCache {
 public:
  struct Answer {
    std::string version;   // a dotted number; "": not reported in time
    int64_t asked_ms = 0;  // since 1970
  };
  static constexpr size_t kMostBinaries = 64;  // when it is full, the oldest answers go first

  static VersionCache parse(std::string_view text);
  std::string to_json() const;

  const Answer* find(const Binary& binary) const;  // nullptr: it must be asked
  void keep(Binary binary, Answer answer);         // replaces the answer of the same command

 private:
  struct Entry {
    Binary binary;
    Answer answer;
  };
  std::vector<Entry> entries_;  // oldest first
};

// $XDG_CACHE_HOME/orch/versions.json; "" if the environment names no place.
std::string version_cache_file();
VersionCache load_version_cache(const std::string& file);
base::Status save_version_cache(const VersionCache& cache, const std::string& file);

}  // namespace orch::setup
