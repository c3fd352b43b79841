#include "setup/agents.h"

#include <cstdio>

#include "base/name.h"
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
  std::vector<std::string_view> known;
  for (const adapters::Manifest& one : agents.all()) known.push_back(one.name);
  return base::usage_error("there is no agent \"" + base::printable(name) + "\"" + "; known are " +
                           agents.names() + base::did_you_mean(name, known));
}

base::Result<const adapters::Manifest*> default_agent(const adapters::Registry& agents) {
  for (const char* name : {"claude", "codex", "gemini", "opencode"}) {
    if (is_installed(agents.program(name))) return agents.find(name);
  }
  return base::Error{base::ErrorCode::kNotFound,
                     "no agent is installed (claude, codex, gemini, opencode): install one, as by "
                     "npm install -g @anthropic-ai/claude-code, name another with --agent, or see "
                     "the built-in one: orch run demo"};
}

bool is_installed(const adapters::Manifest& manifest) {
  return is_installed(manifest.program.empty() ? std::string_view() : manifest.program.front());
}

bool is_installed(std::string_view program) {
  return program.empty() || program == kSelf ||
         pty::find_program(std::string(program), environment("PATH")).ok();
}

}  // namespace orch::setup
