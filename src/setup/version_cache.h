#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::setup {

// One program as it was found on the disk; another that takes its place differs in something.
struct Binary {
  std::vector<std::string> command;  // the file without symbolic links, and the arguments
  int64_t size = 0;                  // in bytes
  int64_t modified_ns = 0, changed_ns = 0;
  bool operator==(const Binary&) const = default;
};
// Nothing when there is no such file.
std::optional<Binary> binary_of(const std::string& file, const std::vector<std::string>& arguments);

// What programs said when they were asked for their versions. A file that is missing, broken or
// somebody else's idea of one is an empty cache, for whatever it holds can be asked again.
class VersionCache {
 public:
  struct Answer {
    std::string version;   // a dotted number; "": it named none in time
    int64_t asked_ms = 0;  // since 1970
  };
  static constexpr size_t kMostBinaries = 64;  // the oldest answers go first

  static VersionCache parse(std::string_view text);
  std::string to_json() const;

  const Answer* find(const Binary& binary) const;  // nullptr: it has to be asked
  void keep(Binary binary, Answer answer);         // in place of what the same command said before

 private:
  struct Entry {
    Binary binary;
    Answer answer;
  };
  std::vector<Entry> entries_;  // the oldest first
};

// $XDG_CACHE_HOME/orch/versions.json; "" where the environment names no place.
std::string version_cache_file();
VersionCache load_version_cache(const std::string& file);
base::Status save_version_cache(const VersionCache& cache, const std::string& file);

}  // namespace orch::setup
