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
  // `places` are the paths of `watched`, in its order.
  ConfigWatch(std::vector<adapters::FenceSpec::Watched> watched, std::vector<std::string> places);

  // The paths whose content is another now.
  std::vector<std::string> changed() const;

 private:
  std::vector<adapters::FenceSpec::Watched> watched_;
  std::vector<std::string> places_;
  std::vector<std::string> before_;
};

}  // namespace orch::session
