#include "setup/agents.h"

#include <cstdio>

#include "base/text.h"
#include "pty/program.h"
#include "setup/paths.h"

namespace orch::setup {

base::Result<adapters::Registry> load_agents(const std::string& repository) {
  base::Result<UserManifests> manifests = user_manifests(repository);
  if (!manifests) return manifests.error();
  return load_agents(*manifests);
}

base::Result<adapters::Registry> load_agents(const UserManifests& manifests) {
  const std::string left_out = base::printable(left_out_line(manifests));
  if (!left_out.empty()) std::fprintf(stderr, "orch: %s\n", left_out.c_str());
  return adapters::Registry::load(manifests.files);
}

base::Result<const adapters::Manifest*> find_agent(const adapters::Registry& agents,
                                                   const std::string& name) {
  const adapters::Manifest* manifest = agents.find(name);
  if (manifest != nullptr) return manifest;
  return base::usage_error("unknown agent \"" + name + "\"; known are " + agents.names());
}

base::Result<const adapters::Manifest*> default_agent(const adapters::Registry& agents) {
  for (const char* name : {"claude", "codex", "gemini", "opencode"}) {
    const adapters::Manifest* manifest = agents.find(name);
    if (manifest != nullptr && is_installed(*manifest)) return manifest;
  }
  return base::Error{base::ErrorCode::kNotFound,
                     "none of claude, codex, gemini, opencode is installed; name one with --agent, "
                     "or try: orch run demo"};
}

bool is_installed(const adapters::Manifest& manifest) {
  if (manifest.program.empty()) return true;
  return manifest.program.front() == kSelf ||
         pty::find_program(manifest.program.front(), environment("PATH")).ok();
}

}  // namespace orch::setup
