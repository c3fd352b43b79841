#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::store {

// Where temporary folders are made when nothing else is said.
inline constexpr std::array<std::string_view, 2> kTemporaryParents{"/tmp", "/var/tmp"};

// A folder for the temporary files of one run: "orch-XXXXXX/tmp", which goes with this. Beside it
// "orch-XXXXXX/owner" says whose it is; whoever is given the inner folder alone cannot change that.
class TemporaryFolder {
 public:
  // `run` is the id of the run that works in it. Made in `parent` if one is named and it can be,
  // else in the first of kTemporaryParents where it can be.
  static base::Result<TemporaryFolder> make(std::string_view run, const std::string& parent = "");
  // Removes it with all that is in it, whatever its modes are; no link is followed, and nothing
  // that is mounted in it is touched.
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  std::string path() const { return outer_ + "/tmp"; }

 private:
  explicit TemporaryFolder(std::string outer) : outer_(std::move(outer)) {}

  std::string outer_;  // "" once it was moved from
};

// The outer folders in `parents` that processes of this user have left which are proven to be gone:
// they were of this machine and of our pid namespace, or ran before the machine booted; and nothing
// lives that is of their run. A folder without such an owner's word, of another user, or a link is
// nobody's.
std::vector<std::string> abandoned_temporary_folders(
    std::span<const std::string_view> parents = kTemporaryParents);
// Removes one of them. An error names it: something in it cannot be removed.
base::Status remove_temporary_folder(const std::string& outer);

}  // namespace orch::store
