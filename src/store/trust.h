#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::store {

enum class Standing : uint8_t {
  kUnknown,  // nobody said that it may be trusted
  kChanged,  // its content was trusted when it was another
  kTrusted,
};

// Which files of repositories the user has looked at and trusts: each by its path and its content,
// so that a changed file, or one that stands elsewhere, is a stranger again.
class TrustedFiles {
 public:
  struct Entry {
    std::string path;    // absolute, without symbolic links
    std::string sha256;  // of its content
    std::string since;   // RFC 3339, UTC
    bool operator==(const Entry&) const = default;
  };

  Standing standing_of(std::string_view path, std::string_view content) const;
  const std::vector<Entry>& entries() const { return entries_; }  // in the order of their paths

  void trust(const std::string& path, std::string_view content, const std::string& since);
  // Forgets `path`, or all files below it where it is a folder; returns how many there were.
  size_t revoke(std::string_view path);

  // The list in a file; empty where there is none. An error: it is not readable, or not this
  // user's.
  static base::Result<TrustedFiles> load(const std::string& list);
  // Reads the list, has it changed and writes it, whole or not at all, mode 0600; others who change
  // it meanwhile wait.
  static base::Status update(const std::string& list,
                             const std::function<void(TrustedFiles&)>& change);

 private:
  std::vector<Entry> entries_;
};

}  // namespace orch::store
