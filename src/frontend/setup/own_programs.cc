#include "setup/own_programs.h"

#include <optional>
#include <utility>

#include "base/author.h"
#include "engine/submission.h"
#include "fence/grant.h"
#include "setup/paths.h"
#include "store/named_place.h"
#include "store/run_dir.h"

namespace orch::setup {

namespace {

base::Result<std::string> resolved(const std::string& path, store::Missing missing,
                                   store::AgentsLinks links) {
  base::Result<store::NamedPlace> place = store::find_named_place(path, missing, links);
  if (!place) return place.error();
  return std::move(place->path);
}

}  // namespace

void guard_own_programs() {
  if (const base::Result<std::string> here = resolve_folder(".")) {
    distrust_folder(repository_of(*here));
  }
  const base::Result<std::string> state_dir =
      store::state_dir({.argument = std::nullopt,
                        .orch_state_dir = environment("ORCH_STATE_DIR"),
                        .xdg_state_home = environment("XDG_STATE_HOME"),
                        .home = environment("HOME")});
  if (state_dir) base::know_state_dir(*state_dir);
}

// Leaves out folders that could not be granted to an agent, such as "/": otherwise this would
// distrust everything in there.
void distrust_folder(const std::string& folder) {
  const fence::Guarded homes{fence::homes_of_user(environment("HOME")), "", {}};
  if (fence::grant(folder, homes)) base::know_folder_of_agents(folder);
}

fence::Guarded guarded_here(const std::string& state_dir) {
  fence::Guarded guarded =
      fence::guarded_of_user(environment("HOME"), environment("XDG_CONFIG_HOME"), state_dir);
  guarded.verdicts = engine::submission_places(state_dir);
  return guarded;
}

base::Result<std::string> named_place(const std::string& path) {
  return resolved(path, store::Missing::kError, store::AgentsLinks::kInside);
}

base::Result<std::string> place_to_be(const std::string& path) {
  return resolved(path, store::Missing::kRest, store::AgentsLinks::kInside);
}

base::Result<std::string> place_for_output(const std::string& path) {
  return resolved(path, store::Missing::kRest, store::AgentsLinks::kRefused);
}

base::Status check_links(const std::string& path) {
  if (path.empty()) return base::Ok{};
  const base::Result<std::string> real = place_to_be(path);
  if (real || real.error().code != base::ErrorCode::kUsage) return base::Ok{};
  return real.error();
}

}  // namespace orch::setup
