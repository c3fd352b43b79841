#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/fence_spec.h"

namespace orch::session {

// Watches files that an agent may write and that name programs which somebody's next start runs
// outside of the fence: remembers their content when the run begins, and compares it when the run
// is over. Their content is not trusted: only regular files and folders are opened, and no open or
// read can block.
class ConfigWatch {
 public:
  enum class Kind : uint8_t {
    kAny,        // a file (`watched` names the parts that count), or a whole folder
    kGitConfig,  // a git configuration: settings count that may start a program (git_config.h)
    kGitLink,    // a .git: leads git elsewhere if it is a file or link, not if a folder
  };
  struct Place {
    adapters::FenceSpec::Watched watched;
    std::string path;  // of the file or folder; "" for nowhere
    Kind kind = Kind::kAny;
  };
  explicit ConfigWatch(std::vector<Place> places);

  // The paths whose content has changed.
  std::vector<std::string> changed() const;

 private:
  // The compared content: a line for each thing that counts; empty if there is none.
  using Content = std::vector<std::string>;
  static Content content_of(const Place& place);

  std::vector<Place> places_;
  std::vector<Content> before_;
};

}  // namespace orch::session
