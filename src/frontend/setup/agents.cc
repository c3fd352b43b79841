#include "setup/agents.h"

#include <algorithm>
#include <cstdio>

#include "base/name.h"
#include "base/text.h"
#include "pty/program.h"
#include "setup/paths.h"

namespace orch::setup {

namespace {

// One line that names the manifests that are wrong; "" if there is none.
std::string wrong_line(const adapters::Registry& agents) {
  constexpr size_t kMostNamed = 3;
  const std::vector<adapters::BadManifest>& bad = agents.bad();
  if (bad.empty()) return "";
  std::string line;
  for (size_t i = 0; i < std::min(bad.size(), kMostNamed); ++i) {
    line += (line.empty() ? "" : ", ") + base::printable(bad[i].path);
  }
  if (bad.size() > kMostNamed) line += " and " + std::to_string(bad.size() - kMostNamed) + " more";
  return line + (bad.size() == 1 ? " is wrong and was" : " are wrong and were") +
         " left out; see: orch agents";
}

}  // namespace

base::Result<adapters::Registry> load_agents(const std::string& repository) {
  base::Result<UserManifests> manifests = user_manifests(repository);
  if (!manifests) return manifests.error();
  return load_agents(*manifests);
}

base::Result<adapters::Registry> load_agents(const UserManifests& manifests) {
  const std::string left_out = base::printable(left_out_line(manifests));
  if (!left_out.empty()) std::fprintf(stderr, "orch: %s\n", left_out.c_str());
  adapters::Registry agents = adapters::Registry::load_each(manifests.files);
  const std::string wrong = wrong_line(agents);
  if (!wrong.empty()) std::fprintf(stderr, "orch: %s\n", wrong.c_str());
  return agents;
}

base::Result<const adapters::Manifest*> find_agent(const adapters::Registry& agents,
                                                   const std::string& name) {
  const adapters::Manifest* manifest = agents.find(name);
  if (manifest != nullptr) return manifest;
  if (const std::string why = agents.why_disabled(name); !why.empty()) {
    return base::usage_error("agent " + base::printable(name) + " cannot be used: " + why);
  }
  std::vector<std::string_view> known;
  for (const adapters::Manifest& one : agents.all()) known.push_back(one.name);
  return base::usage_error("there is no agent \"" + base::printable(name) + "\"" + "; known are " +
                           agents.names() + base::did_you_mean(name, known));
}

base::Status check_agents(const adapters::Registry& agents, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const auto manifest = find_agent(agents, word.substr(0, word.find(':')));
    if (!manifest) return manifest.error();
  }
  return base::Ok{};
}

base::Result<const adapters::Manifest*> default_agent(const adapters::Registry& agents) {
  for (const char* name : {"claude", "codex", "gemini", "opencode"}) {
    if (is_installed(agents.program(name))) return find_agent(agents, name);
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
