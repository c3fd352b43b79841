#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/fence_spec.h"

namespace orch::session {

// Files that an agent may write, and that name programs which somebody's next start runs outside of
// the fence: what they hold is remembered, and compared when the run is over.
class ConfigWatch {
 public:
  struct Place {
    adapters::FenceSpec::Watched watched;
    std::string path;  // where that is; "" for nowhere
  };
  explicit ConfigWatch(std::vector<Place> places);

  // The paths whose content is another now.
  std::vector<std::string> changed() const;

 private:
  std::vector<Place> places_;
  std::vector<std::string> before_;
};

}  // namespace orch::session
