#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/fence_spec.h"

namespace orch::session {

// Files that an agent may write, and that name programs which somebody's next start runs outside of
// the fence: what they hold is remembered, and compared when the run is over. Whoever wrote them
// chose what stands there: nothing but regular files and folders is opened, and nothing is waited
// for.
class ConfigWatch {
 public:
  enum class Kind : uint8_t {
    kAny,        // a file, of which `watched` says what counts, or a folder with all that is in it
    kGitConfig,  // of which the settings count that may start something (git_config.h)
    kGitLink,    // leads git elsewhere if it is a file or a link; a folder, or none, leads nowhere
  };
  struct Place {
    adapters::FenceSpec::Watched watched;
    std::string path;  // where that is; "" for nowhere
    Kind kind = Kind::kAny;
  };
  explicit ConfigWatch(std::vector<Place> places);

  // The paths whose content is another now.
  std::vector<std::string> changed() const;

 private:
  // What is compared: a line for each thing that counts. None: nothing is there that counts.
  using Content = std::vector<std::string>;
  static Content content_of(const Place& place);

  std::vector<Place> places_;
  std::vector<Content> before_;
};

}  // namespace orch::session
