#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::store {

// The parents of temporary folders unless another one is named.
inline constexpr std::array<std::string_view, 2> kTemporaryParents{"/tmp", "/var/tmp"};

// A folder for the temporary files of one run, "orch-XXXXXX/tmp", which the destructor removes. The
// file "orch-XXXXXX/owner" next to it names its owner; a process that may only write to the inner
// folder cannot change that.
class TemporaryFolder {
 public:
  // `run` is the id of the run. Made in `parent` if that is given and works, otherwise in the first
  // of kTemporaryParents that works.
  static base::Result<TemporaryFolder> make(std::string_view run, const std::string& parent = "");
  // Removes the folder with everything in it, whatever the permissions are. It follows no links and
  // does not touch mounted file systems in it.
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  std::string path() const { return outer_ + "/tmp"; }

 private:
  explicit TemporaryFolder(std::string outer) : outer_(std::move(outer)) {}

  std::string outer_;  // "" once moved from
};

// The outer folders in `parents` that processes of this user have left. Those processes are certain
// to be gone: they were on this machine in our pid namespace, or ran before the machine booted, and
// no process of their run lives. A folder is left out if it has no owner file, belongs to another
// user, or is a link.
std::vector<std::string> abandoned_temporary_folders(
    std::span<const std::string_view> parents = kTemporaryParents);
// Removes one of them. If something in the folder cannot be removed, the error names the folder.
base::Status remove_temporary_folder(const std::string& outer);

}  // namespace orch::store
