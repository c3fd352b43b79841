#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::ci {

// A folder that other programs, agents among them, may change while orch runs. To write no file
// through a symbolic link that they put into it or above it, each access opens the path name by
// name and follows no link.
class ArtifactFolder {
 public:
  // Creates the folder, and those above it, if they are missing, with the user's umask, and checks
  // that files can be made in it. Links on the way to it are the user's: they are followed now and
  // never again.
  static base::Result<ArtifactFolder> make(const std::string& path);

  // Writes a file, completely or not at all, and replaces an older one of that name. Its mode is
  // 0666 less the umask. The name may have one folder in front of it ("42/junit.xml").
  base::Status write(std::string_view name, std::string_view bytes) const;
  // Does the same with the content of a regular file, of any size; its holes stay holes.
  base::Status copy(std::string_view name, const std::string& from) const;

  const std::string& path() const { return path_; }  // absolute, without links

 private:
  explicit ArtifactFolder(std::string path) : path_(std::move(path)) {}
  // Opens the folder `inner` in this one, and creates what is missing on the way.
  base::Result<base::Fd> open(std::string_view inner) const;
  template <typename Fill>
  base::Status replace(std::string_view name, const Fill& fill) const;

  std::string path_;
};

}  // namespace orch::ci
