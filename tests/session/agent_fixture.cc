#include "agent_fixture.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace orch::session {
namespace {

const adapters::Registry& registry() {
  static const base::Result<adapters::Registry> loaded = adapters::Registry::load({});
  return loaded.value();
}

}  // namespace

const Agent& agent_named(std::string_view name) {
  static std::map<std::string, Agent, std::less<>> agents;
  const auto known = agents.find(name);
  if (known != agents.end()) return known->second;
  const adapters::Manifest* manifest = registry().find(name);
  REQUIRE(manifest != nullptr);
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest->rules);
  REQUIRE(rules.ok());
  return agents.emplace(std::string(name), Agent{manifest, std::move(rules).value()}).first->second;
}

const std::vector<Recorded>& all_recordings() {
  static std::vector<Recorded> recordings;
  if (!recordings.empty()) return recordings;
  const char* folder = std::getenv("ORCH_SESSION_RECORDINGS");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder != nullptr ? folder : ORCH_RECORDINGS)) {
    if (entry.path().extension() != ".cast") continue;
    const std::string agent = entry.path().parent_path().filename();
    base::Result<store::Cast> cast = store::read_cast(entry.path());
    REQUIRE(cast.ok());
    recordings.push_back({agent + "/" + std::string(entry.path().filename()), &agent_named(agent),
                          std::move(cast).value()});
  }
  std::sort(recordings.begin(), recordings.end(),
            [](const Recorded& a, const Recorded& b) { return a.name < b.name; });
  REQUIRE(!recordings.empty());
  return recordings;
}

Told told_by(const Agent& agent, const store::Cast& cast) {
  Told told;
  for (const ReplayedEvent& replayed : Replay(cast, *agent.manifest, agent.rules).run()) {
    if (const auto* output = std::get_if<event::Output>(&replayed.event)) {
      told.lines.push_back(output->text);
    } else if (const auto* change = std::get_if<event::StatusChange>(&replayed.event)) {
      told.statuses.push_back(std::to_string(replayed.ms) + " " +
                              std::string(event::name(change->status)) + "/" +
                              std::string(event::name(change->cause)) + " " + change->rule);
    }
  }
  return told;
}

}  // namespace orch::session
