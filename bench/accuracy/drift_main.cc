// Finds what an agent draws that its manifest does not know, and what the manifest expects that the
// agent does not draw (any more): replays recordings DIR/<agent>/*.cast and holds each expression
// against every text that was on the screen. bench/README.md explains the report.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/drift.h"
#include "accuracy/recordings.h"
#include "accuracy/selection_options.h"
#include "adapters/embedded.h"
#include "base/text.h"
#include "store/file_io.h"

namespace orch::accuracy {
namespace {

constexpr size_t kMaxBytes = size_t{8} << 20;

struct Options {
  Selection selection;
  std::string before, known;
  std::vector<std::string> manifests;
  bool json = false;
};

// A manifest and its text.
struct Agent {
  std::string text;
  adapters::Manifest manifest;
};
using Agents = std::map<std::string, Agent>;

base::Result<Agents> read_agents(const std::vector<std::string>& paths) {
  Agents agents;
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    base::Result<adapters::Manifest> manifest =
        adapters::parse_manifest(embedded.text, embedded.file, base::JsonAuthor::kProgram);
    if (!manifest) return manifest.error();
    agents[std::string(embedded.name)] = {std::string(embedded.text), std::move(*manifest)};
  }
  for (const std::string& path : paths) {
    base::Result<std::string> text = store::read_file(path, kMaxBytes);
    if (!text) return text.error();
    base::Result<adapters::Manifest> manifest = adapters::parse_manifest(*text, path);
    if (!manifest) return manifest.error();
    const std::string name = manifest->name;
    agents[name] = {std::move(*text), std::move(*manifest)};
  }
  return agents;
}

using Drifts = std::map<std::string, Drift>;

// Keeps one recording in memory at a time.
base::Result<Drifts> search(const Selection& selection, const Agents& agents) {
  const base::Result<std::vector<RecordingFile>> files = find_recordings(selection);
  if (!files) return files.error();
  std::map<std::string, DriftSearch> searches;
  for (const RecordingFile& file : *files) {
    const auto agent = agents.find(file.agent);
    if (agent == agents.end()) {
      return base::usage_error(file.path + ": there is no agent \"" + file.agent + "\"");
    }
    auto at = searches.find(file.agent);
    if (at == searches.end()) {
      base::Result<DriftSearch> made = DriftSearch::of(agent->second.text, agent->second.manifest);
      if (!made) return made.error();
      at = searches.emplace(file.agent, std::move(*made)).first;
    }
    const base::Result<store::Cast> cast = store::read_cast(file.path);
    if (!cast) return cast.error();
    at->second.see(file, *cast);
  }
  Drifts drifts;
  for (auto& [name, one] : searches) drifts.emplace(name, one.take());
  return drifts;
}

base::Result<KnownAgents> read_known(const std::string& path) {
  if (path.empty()) return KnownAgents{};
  const base::Result<std::string> text = store::read_file(path, kMaxBytes);
  if (!text) return text.error();
  base::Result<KnownAgents> known = parse_known(*text);
  if (!known) return in_file(path, known.error());
  return known;
}

void print(const std::string& name, const Drift& drift, const Known& known,
           const std::vector<std::string>& faults) {
  const auto drawn = std::count_if(drift.literals.begin(), drift.literals.end(),
                                   [](const auto& literal) { return literal.second.has_value(); });
  fmt::print("{}: {} recordings, {} of {} literals drawn, {} faults\n", name, drift.recordings,
             drawn, drift.literals.size(), faults.size());
  for (const std::string& fault : faults) fmt::print("  {}\n", base::printable(fault));
  for (const std::string& literal : known.undrawn) {
    const auto at = drift.literals.find(literal);
    if (at == drift.literals.end()) {
      fmt::print("  known as not drawn, but no literal (any more): {}\n", base::printable(literal));
    } else if (at->second) {
      fmt::print("  known as not drawn, but drawn: {}\n", base::printable(literal));
    }
  }
}

int fail(const base::Error& error) {
  fmt::print(stderr, "drift: {}\n", error.text);
  return 2;
}

int report(const Options& options) {
  const base::Result<KnownAgents> known = read_known(options.known);
  if (!known) return fail(known.error());
  const base::Result<Agents> agents = read_agents(options.manifests);
  if (!agents) return fail(agents.error());
  const base::Result<Drifts> drifts = search(options.selection, *agents);
  if (!drifts) return fail(drifts.error());
  Drifts before;
  if (!options.before.empty()) {
    Selection selection = options.selection;
    selection.folder = options.before;
    base::Result<Drifts> found = search(selection, *agents);
    if (!found) return fail(found.error());
    before = std::move(*found);
  }
  std::map<std::string, std::vector<std::string>> faults;
  bool any = false;
  for (const auto& [name, drift] : *drifts) {
    const auto at = known->find(name);
    const Known of_agent = at == known->end() ? Known{} : at->second;
    const auto older = before.find(name);
    faults[name] = faults_of(drift, of_agent, older == before.end() ? nullptr : &older->second);
    any = any || !faults[name].empty();
    if (!options.json) print(name, drift, of_agent, faults[name]);
  }
  if (options.json) fmt::print("{}", to_json(*drifts, faults));
  return any && !options.known.empty() ? 1 : 0;
}

int parse_and_report(int argc, char** argv) {
  CLI::App app(
      "Holds recordings DIR/<agent>/*.cast against the manifests: what no longer is drawn, "
      "and what is drawn that they do not know.",
      "drift");
  Options options;
  app.add_option("DIR", options.selection.folder, "a folder with one sub-folder per agent")
      ->required();
  app.add_option("--agent", options.selection.agents, "only this agent; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--exclude", options.selection.exclude,
                 "leave out recordings whose AGENT/NAME matches");
  app.add_option("--manifest", options.manifests, "a manifest in place of the agent's own")
      ->allow_extra_args(false);
  app.add_option("--before", options.before,
                 "a folder of older recordings: where a literal was drawn last");
  app.add_option("--known", options.known,
                 "JSON {AGENT: {\"undrawn\": [..]}}: exit 1 where anything else is a fault");
  app.add_flag("--json", options.json, "JSON, with all literals, rules and rows");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // 0: --help
  }
  return report(options);
}

}  // namespace
}  // namespace orch::accuracy

int main(int argc, char** argv) { return orch::accuracy::parse_and_report(argc, argv); }
