#include "cli/agents.h"

#include "cli/paths.h"
#include "pty/program.h"

namespace orch::cli {

base::Result<adapters::Registry> load_agents(const std::string& repository) {
  base::Result<std::vector<adapters::ManifestFile>> files = user_manifests(repository);
  if (!files) return files.error();
  return adapters::Registry::load(*files);
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

}  // namespace orch::cli
