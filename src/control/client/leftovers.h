#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::client {

// Something that a killed host has left outside of the state directory, and that no guardian
// removed.
struct Leftover {
  std::string_view kind;  // "control group"
  std::string path;       // of a container its name
  std::function<base::Status()> remove;
};

// Something that may be a leftover, and why that could not be read.
struct MaybeLeftover {
  std::string path, why;
};

struct Leftovers {
  std::vector<Leftover> found;
  std::vector<MaybeLeftover> unknown;
};

// Finds only folders and groups that belong to this user and to a run that is proven to be over:
// folders for temporary files whose owners have ended (store/temporary_folder.h), and the control
// groups of runs of this state directory that have ended or whose host is gone. A group with a
// living process is not listed.
Leftovers find_leftovers(const std::string& state_dir);

// Finds containers without an orch process. Usually a container ends with the orch that holds it;
// not if it was paused, say, or its daemon was not there. Unknown is an engine, by its name, that
// does not list them.
Leftovers find_containers();

// Removes, when a run starts, those leftovers that can be found at once: the folders, and the
// control groups inside our own group, where the run's group will be made. The rest is left to
// `orch gc`, which reports it.
void remove_leftovers(const std::string& state_dir);

}  // namespace orch::client
