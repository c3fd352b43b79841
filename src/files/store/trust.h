#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::store {

enum class Standing : uint8_t {
  kUnknown,  // the user has never trusted it
  kChanged,  // the user has trusted it with another content
  kTrusted,
};

// The files of repositories that the user has looked at and trusts, each by its path and its
// content, so that a file that was changed or moved is not trusted any more.
class TrustedFiles {
 public:
  struct Entry {
    std::string path;    // absolute, without symbolic links
    std::string sha256;  // of its content
    std::string since;   // RFC 3339, UTC
    bool operator==(const Entry&) const = default;
  };

  Standing standing_of(std::string_view path, std::string_view content) const;
  const std::vector<Entry>& entries() const { return entries_; }  // sorted by path

  void trust(const std::string& path, std::string_view content, const std::string& since);
  // Forgets `path`, or all files below it if it is a folder; returns how many there were.
  size_t revoke(std::string_view path);

  // Reads the list from a file; empty if there is none. An error if it cannot be read or is not
  // this user's.
  static base::Result<TrustedFiles> load(const std::string& list);
  // Reads the list, lets `change` modify it, and writes it, completely or not at all, with mode
  // 0600. Other processes that update it wait for that.
  static base::Status update(const std::string& list,
                             const std::function<void(TrustedFiles&)>& change);

 private:
  std::vector<Entry> entries_;
};

}  // namespace orch::store
