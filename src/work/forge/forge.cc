#include "forge/forge.h"

#include "forge/own_forges.h"

namespace orch::forge {

std::unique_ptr<Forge> open_forge(const RepositoryName& project, const RepositoryName& source) {
  return kind_of(project) == Kind::kGitlab ? open_gitlab(project, source)
                                           : open_github(project, source);
}

}  // namespace orch::forge
