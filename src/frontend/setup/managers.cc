#include "setup/managers.h"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/own_program.h"
#include "base/text.h"
#include "pty/run_mark.h"
#include "setup/paths.h"

namespace orch::setup {

base::Result<mux::Tools> tools_here() {
  mux::Tools tools;
  base::Result<std::string> self = own_path();
  if (!self) return self.error();
  tools.orch = std::move(self).value();
  base::Result<std::string> tmux = base::own_program("tmux");
  if (tmux) {
    tools.tmux.program = std::move(tmux).value();
  } else if (tmux.error().code != base::ErrorCode::kNotFound) {
    std::fprintf(stderr, "orch: %s\n", base::printable(tmux.error().text).c_str());
    tools.tmux.program = "";  // cannot be started either
  }
  return tools;
}

mux::Circumstances circumstances(bool background) {
  // The files of Docker and podman; systemd-nspawn and LXC set $container. The variables of the CI
  // systems that ui/github.h knows, and of others.
  constexpr std::array kContainerFiles{"/.dockerenv", "/run/.containerenv"};
  constexpr std::array kCi{"CI",        "GITHUB_ACTIONS", "GITLAB_CI",
                           "BUILDKITE", "JENKINS_URL",    "TF_BUILD"};
  mux::Circumstances here;
  here.background = background;
  here.container = !environment("container").empty();
  for (const char* file : kContainerFiles) here.container |= ::access(file, F_OK) == 0;
  for (const char* variable : kCi) here.ci |= !environment(variable).empty();
  here.run = !environment(std::string(pty::kRunMark).c_str()).empty();
  here.tmux = base::own_program("tmux").ok();
  here.zellij = base::own_program("zellij").ok();
  return here;
}

void hold_by(const mux::Choice& choice, const mux::Tools& tools, session::SessionSetup& setup) {
  const auto manager = mux::make_manager(choice.kind, tools);
  setup.manager = {std::string(mux::name(choice.kind)), choice.reason,
                   choice.kind == mux::ManagerKind::kTmux ? tools.tmux.label : ""};
  setup.source = manager->create(store::session_key(setup.issue, setup.repository));
  setup.launch.env.merge(manager->environment());  // values of the user or of a manifest stay
}

void hold_in_crew(const std::string& place, const std::string& title, const mux::Tools& tools,
                  session::SessionSetup& setup) {
  if (setup.manager.name != mux::name(mux::ManagerKind::kTmux)) return;
  const std::string key = store::session_key(setup.issue, setup.repository);
  setup.source = mux::make_manager(mux::ManagerKind::kTmux, tools)->create_tile(key, place, title);
}

}  // namespace orch::setup
