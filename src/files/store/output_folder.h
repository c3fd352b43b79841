#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// A folder named on the command line for output. Other programs, including agents, may change it
// while orch runs. To write no file through a symbolic link that they put into it or above it, each
// access opens the path name by name and follows no link.
class OutputFolder {
 public:
  // Creates the folder, and those above it, if they are missing, with the user's umask, and checks
  // that files can be made in it. Links on the way to it that only the user can have made are
  // followed now and never again; any other one is an error (store/output.h). `option`, such as
  // "--artifacts", is its name in errors.
  static base::Result<OutputFolder> make(const std::string& path, const std::string& option);

  // Writes a file, completely or not at all, and replaces an older one of that name. Its mode is
  // 0666 less the umask. The name may have folders in front of it ("42/junit.xml").
  base::Status write(std::string_view name, std::string_view bytes) const;
  // Does the same with the content of a regular file, of any size; its holes stay holes.
  base::Status copy(std::string_view name, const std::string& from) const;

  const std::string& path() const { return path_; }  // absolute, without links

 private:
  OutputFolder(std::string path, std::string option)
      : path_(std::move(path)), option_(std::move(option)) {}
  // Opens the folder `inner` in this one, and creates missing folders. The error has not `option`.
  base::Result<base::Fd> open(std::string_view inner) const;
  base::Status replace(
      std::string_view name,
      const std::function<base::Status(const base::Fd&, const std::string&)>& fill) const;

  std::string path_, option_;
};

}  // namespace orch::store
