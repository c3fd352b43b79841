#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::client {

// What hosts that were killed have left outside of the state directory, where no guardian took it
// away.
struct Leftover {
  enum class Kind : uint8_t { kTemporaryFolder, kControlGroup };
  Kind kind = Kind::kTemporaryFolder;
  std::string path;
};
std::string_view name(Leftover::Kind kind);

// Only what is this user's and whose run is proven to be over: folders for temporary files by their
// owners' word (store/temporary_folder.h), the control groups of runs of this state directory that
// have ended or whose host is gone. Nothing in which a process lives.
std::vector<Leftover> find_leftovers(const std::string& state_dir);
base::Status remove_leftover(const Leftover& leftover);

// Removes what a start can find at once: the folders, and of the groups those in our own group,
// where its run's is to be made. What cannot be removed is for `orch gc` to tell.
void remove_leftovers(const std::string& state_dir);

}  // namespace orch::client
