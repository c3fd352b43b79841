#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::client {

// Something that a killed host has left outside of the state directory, and that no guardian
// removed.
struct Leftover {
  enum class Kind : uint8_t { kTemporaryFolder, kControlGroup };
  Kind kind = Kind::kTemporaryFolder;
  std::string path;
};
std::string_view name(Leftover::Kind kind);

// A control group of which it could not be read whether its run is over, and why.
struct UnknownGroup {
  std::string path, why;
};

struct Leftovers {
  std::vector<Leftover> found;
  std::vector<UnknownGroup> unknown;
};

// Finds only folders and groups that belong to this user and to a run that is proven to be over:
// folders for temporary files whose owners have ended (store/temporary_folder.h), and the control
// groups of runs of this state directory that have ended or whose host is gone. A group with a
// living process is not listed.
Leftovers find_leftovers(const std::string& state_dir);
base::Status remove_leftover(const Leftover& leftover);

// Removes, when a run starts, those leftovers that can be found at once: the folders, and the
// control groups inside our own group, where the run's group will be made. The rest is left to
// `orch gc`, which reports it.
void remove_leftovers(const std::string& state_dir);

}  // namespace orch::client
