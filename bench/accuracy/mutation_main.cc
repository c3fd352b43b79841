// Measures how much depends on a single word or glyph: removes each literal of an agent's manifest
// in turn, replays the agent's recordings and scores them. bench/README.md explains the
// figures.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/mutation.h"
#include "accuracy/recordings.h"
#include "accuracy/selection_options.h"
#include "adapters/registry.h"
#include "store/file_io.h"

namespace orch::accuracy {
namespace {

struct Options {
  Selection selection;
  std::string exceptions;
  size_t worst = 12;
  bool json = false;
};

base::Result<std::vector<Exception>> read_exceptions(const std::string& path) {
  constexpr size_t kMaxBytes = 1 << 20;
  if (path.empty()) return std::vector<Exception>{};
  const base::Result<std::string> text = store::read_file(path, kMaxBytes);
  if (!text) return text.error();
  base::Result<std::vector<Exception>> exceptions = parse_exceptions(*text);
  if (!exceptions) return in_file(path, exceptions.error());
  return exceptions;
}

// Keeps the recordings of only one agent in memory at a time.
base::Result<std::vector<MutatedAgent>> mutate_all(const Selection& selection) {
  const base::Result<IgnoredSpans> ignored = read_ignored(selection.ignore);
  if (!ignored) return ignored.error();
  const base::Result<std::vector<RecordingFile>> files = find_recordings(selection);
  if (!files) return files.error();
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  if (!registry) return registry.error();
  std::vector<MutatedAgent> agents;
  for (size_t i = 0; i < files->size();) {
    const base::Result<const adapters::Manifest*> manifest = manifest_of(*registry, (*files)[i]);
    if (!manifest) return manifest.error();
    std::vector<Recording> recordings;
    for (; i < files->size() && (*files)[i].agent == (*manifest)->name; ++i) {
      base::Result<Recording> recording = read_recording((*files)[i], *ignored);
      if (!recording) return recording.error();
      recordings.push_back(std::move(*recording));
    }
    base::Result<MutatedAgent> mutated = mutate(**manifest, recordings);
    if (!mutated) return mutated.error();
    agents.push_back(std::move(*mutated));
  }
  return agents;
}

int fail(const base::Error& error) {
  fmt::print(stderr, "mutation: {}\n", error.text);
  return 2;
}

int measure(const Options& options) {
  const base::Result<std::vector<Exception>> exceptions = read_exceptions(options.exceptions);
  if (!exceptions) return fail(exceptions.error());
  const base::Result<std::vector<MutatedAgent>> agents = mutate_all(options.selection);
  if (!agents) return fail(agents.error());
  for (const MutatedAgent& agent : *agents) {
    if (agent.mutants.empty()) {
      return fail(base::usage_error(agent.agent + ": its manifest has no literal to take away"));
    }
  }
  if (options.json) {
    fmt::print("{}\n", to_json(*agents));
  } else {
    fmt::print("{}", table(*agents, options.worst));
  }
  if (options.exceptions.empty()) return 0;
  bool broken = false;
  for (const MutatedAgent& agent : *agents) {
    for (const std::string& line : breaches(agent, *exceptions)) {
      fmt::print(stderr, "{}\n", line);
      broken = true;
    }
  }
  return broken ? 1 : 0;
}

int parse_and_measure(int argc, char** argv) {
  CLI::App app("Takes each literal of the manifests away and scores recordings DIR/<agent>/*.cast.",
               "mutation");
  Options options;
  add_selection_options(app, options.selection);
  app.add_option("--worst", options.worst, "list at most N literals of an agent (12)");
  app.add_flag("--json", options.json, "JSON, all literals, instead of the table");
  app.add_option("--exceptions", options.exceptions,
                 "JSON lines {\"agent\", \"literal\", \"why\"}: exit 1 where another literal lets "
                 "acc_len fall by more than a point or drops appear");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // 0: --help
  }
  return measure(options);
}

}  // namespace
}  // namespace orch::accuracy

int main(int argc, char** argv) { return orch::accuracy::parse_and_measure(argc, argv); }
