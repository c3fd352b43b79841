#pragma once

#include <string>
#include <vector>

#include "session/config_watch.h"

namespace orch::session {

// The places to watch in the folders that an agent may write, which are work folders or git's own:
// the files of orch, agents, editors and git that name programs for later users of the folder; and
// the hooks, further configuration files and programs that git's configuration names now, if they
// are in one of the folders. `home` is what "~" stands for.
std::vector<ConfigWatch::Place> watched_places(const std::vector<std::string>& folders,
                                               const std::string& home);

}  // namespace orch::session
