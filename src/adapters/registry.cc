#include "adapters/registry.h"

#include <algorithm>
#include <utility>

#include "adapters/lint.h"
#include "base/json.h"
#include "base/name.h"
#include "base/text.h"

namespace orch::adapters {
namespace {

bool is_named(std::string_view program, std::span<const std::string> words) {
  return !program.empty() &&
         std::any_of(words.begin(), words.end(), [program](std::string_view word) {
           return word.substr(word.rfind('/') + 1) == program;
         });
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether `words` contain the word. They are as in EmbeddedManifest: each with a blank behind it.
bool holds(std::string_view words, std::string_view word) {
  for (; !words.empty(); words.remove_prefix(words.find(' ') + 1)) {
    if (words.substr(0, words.find(' ')) == word) return true;
  }
  return false;
}

// The name of the agent that a bad file was meant for.
std::string agent_meant_by(const ManifestFile& file) {
  const base::Json json = base::parse_json(file.text);
  if (json.is_object() && json.contains("name") && json["name"].is_string()) {
    std::string name = json["name"].get<std::string>();
    if (base::is_name(name)) return name;
  }
  constexpr std::string_view kEnding = ".json";
  std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  return std::string(name);
}

std::string why_bad(const ManifestFile& file) {
  if (!file.trouble.empty()) return base::printable(file.trouble);
  const std::vector<std::string> mistakes = lint_manifest(file.text, file.path);
  return mistakes.empty() ? base::printable(file.path) : mistakes.front();
}

}  // namespace

Registry Registry::of_binary() {
  Registry registry;
  for (const EmbeddedManifest& embedded : embedded_manifests()) {
    registry.agents_.push_back({&embedded, nullptr});
  }
  return registry;
}

base::Result<Registry> Registry::load(std::span<const ManifestFile> files) {
  Registry registry = of_binary();
  for (const ManifestFile& file : files) {
    if (base::Status s = registry.add(file); !s) return s.error();
  }
  return registry;
}

Registry Registry::load_each(std::span<const ManifestFile> files) {
  Registry registry = of_binary();
  for (const ManifestFile& file : files) {
    if (!registry.add(file)) registry.disable(file);
  }
  return registry;
}

void Registry::disable(const ManifestFile& file) {
  bad_.push_back({agent_meant_by(file), file.path, why_bad(file)});
  for (Agent& agent : agents_) {
    if (agent.name() == bad_.back().agent) agent.disabled = true;
  }
}

std::string Registry::why_disabled(std::string_view name) const {
  const Agent* known = agent(name);
  if (known != nullptr && !known->disabled) return "";
  const auto last = std::find_if(bad_.rbegin(), bad_.rend(),
                                 [name](const BadManifest& bad) { return bad.agent == name; });
  return last == bad_.rend() ? "" : last->why;
}

base::Status Registry::add(const ManifestFile& file) {
  if (!file.trouble.empty()) return base::usage_error(file.trouble);
  base::Result<Manifest> manifest = parse_manifest(file.text, file.path, base::JsonAuthor::kPerson);
  if (!manifest) return manifest.error();
  const auto known = std::find_if(agents_.begin(), agents_.end(), [&manifest](const Agent& agent) {
    return agent.name() == manifest->name;
  });
  manifest->text = file.text;
  Agent added{nullptr, std::make_shared<const Manifest>(std::move(manifest).value())};
  if (known != agents_.end()) {
    *known = std::move(added);
  } else {
    agents_.push_back(std::move(added));
  }
  return base::Ok{};
}

const Manifest& Registry::Agent::read() const {
  if (!manifest) {
    manifest = std::make_shared<const Manifest>(
        parse_manifest(embedded->text, embedded->file, base::JsonAuthor::kProgram).value());
  }
  return *manifest;
}

std::string_view Registry::Agent::name() const {
  return embedded != nullptr ? embedded->name : std::string_view(manifest->name);
}

std::string_view Registry::Agent::program() const {
  if (embedded != nullptr) return embedded->program;
  return manifest->program.empty() ? std::string_view() : manifest->program.front();
}

bool Registry::Agent::has_alias(std::string_view word) const {
  return embedded != nullptr ? holds(embedded->aliases, word) : holds(manifest->task.aliases, word);
}

bool Registry::Agent::has_bypass(std::string_view word) const {
  return embedded != nullptr ? holds(embedded->bypass, word) : holds(manifest->bypass, word);
}

const Registry::Agent* Registry::agent(std::string_view name) const {
  const auto found = std::find_if(agents_.begin(), agents_.end(),
                                  [name](const Agent& agent) { return agent.name() == name; });
  return found == agents_.end() ? nullptr : &*found;
}

const Manifest* Registry::find(std::string_view name) const {
  const Agent* found = agent(name);
  return found == nullptr || found->disabled ? nullptr : &found->read();
}

const Manifest* Registry::find_kind(std::string_view kind) const {
  if (const Manifest* manifest = find(kind)) return manifest;
  const auto found = std::find_if(agents_.begin(), agents_.end(), [kind](const Agent& agent) {
    return !agent.disabled && agent.has_alias(kind);
  });
  return found == agents_.end() ? nullptr : &found->read();
}

std::vector<std::reference_wrapper<const Manifest>> Registry::named_in(
    std::span<const std::string> words) const {
  std::vector<std::reference_wrapper<const Manifest>> named;
  for (const Agent& agent : agents_) {
    if (is_named(agent.program(), words)) named.emplace_back(agent.read());
  }
  return named;
}

std::vector<std::reference_wrapper<const Manifest>> Registry::all() const {
  std::vector<std::reference_wrapper<const Manifest>> all;
  for (const Agent& agent : agents_) {
    if (!agent.disabled) all.emplace_back(agent.read());
  }
  return all;
}

std::vector<std::reference_wrapper<const Manifest>> Registry::all_and_disabled() const {
  std::vector<std::reference_wrapper<const Manifest>> all;
  for (const Agent& agent : agents_) all.emplace_back(agent.read());
  return all;
}

std::string_view Registry::program(std::string_view name) const {
  const Agent* found = agent(name);
  return found == nullptr ? std::string_view() : found->program();
}

bool Registry::is_bypass(std::string_view word) const {
  return std::any_of(agents_.begin(), agents_.end(),
                     [word](const Agent& agent) { return agent.has_bypass(word); });
}

std::string Registry::names() const {
  std::string names;
  for (const Agent& agent : agents_) {
    if (agent.disabled) continue;
    if (!names.empty()) names += ", ";
    names += agent.name();
  }
  return names;
}

}  // namespace orch::adapters
