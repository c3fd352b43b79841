#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::ci {

// A folder that others, agents among them, may change while orch runs. Nothing is written through a
// symbolic link that they planted in it or in the way to it: the way is gone name by name.
class ArtifactFolder {
 public:
  // Makes it where it is missing, with what is missing above it (the user's umask says who may
  // look), and sees whether files can be made in it. Links in the way to it, which are the user's,
  // are followed now and never again.
  static base::Result<ArtifactFolder> make(const std::string& path);

  // The file, whole or not at all, in place of what had that name: mode 0666 but for the umask. The
  // name may have one folder before it ("42/junit.xml").
  base::Status write(std::string_view name, std::string_view bytes) const;
  // The same with the bytes of a file of ours, however many.
  base::Status copy(std::string_view name, const std::string& from) const;

  const std::string& path() const { return path_; }  // absolute, without links

 private:
  explicit ArtifactFolder(std::string path) : path_(std::move(path)) {}
  // Opens the folder of a file in it, and makes what is missing.
  base::Result<base::Fd> open(std::string_view inner) const;
  template <typename Fill>
  base::Status replace(std::string_view name, const Fill& fill) const;

  std::string path_;
};

}  // namespace orch::ci
