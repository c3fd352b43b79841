// Measures how often the detector is right: replays recordings of real agents and compares the
// statuses with the "state=" markers in the recordings. bench/README.md says what is
// measured.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/recordings.h"
#include "accuracy/report.h"
#include "accuracy/selection_options.h"
#include "adapters/registry.h"

namespace orch::accuracy {
namespace {

struct Options {
  Selection selection;
  std::string require;
  size_t worst = 0;
  bool json = false;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result score_recording(const Recording& recording, const adapters::Manifest& manifest,
                       const detect::RuleSet& rules) {
  const double start = thread_seconds();
  Score score = score_of(recording, manifest, rules);
  const double replay_s = thread_seconds() - start;
  return Result{std::move(score), static_cast<double>(recording.cast.end_us) / 1e6, replay_s};
}

base::Result<std::vector<ScoredRecording>> score_recordings(const Options& options) {
  const base::Result<IgnoredSpans> ignored = read_ignored(options.selection.ignore);
  if (!ignored) return ignored.error();
  const base::Result<std::vector<RecordingFile>> files = find_recordings(options.selection);
  if (!files) return files.error();
  const base::Result<adapters::Registry> registry = load_agents(options.selection);
  if (!registry) return registry.error();
  std::map<std::string, detect::RuleSet> rules;
  std::vector<ScoredRecording> scored;
  for (const RecordingFile& file : *files) {
    const base::Result<const adapters::Manifest*> manifest =
        manifest_of(*registry, file, options.selection.by);
    if (!manifest) return manifest.error();
    if (!rules.contains(file.agent)) {
      base::Result<detect::RuleSet> compiled = detect::RuleSet::compile((*manifest)->rules);
      if (!compiled) return in_file(file.agent, compiled.error());
      rules.emplace(file.agent, std::move(*compiled));
    }
    const base::Result<Recording> recording = read_recording(file, *ignored);
    if (!recording) return recording.error();
    scored.push_back(
        {file.agent, file.name, score_recording(*recording, **manifest, rules.at(file.agent))});
  }
  return scored;
}

int fail(const base::Error& error) {
  fmt::print(stderr, "accuracy: {}\n", error.text);
  return 2;
}

int measure(const Options& options) {
  Requirement requirement;
  if (!options.require.empty()) {
    base::Result<Requirement> parsed = parse_requirement(options.require);
    if (!parsed) return fail(in_file("--require", parsed.error()));
    requirement = std::move(*parsed);
  }
  const base::Result<std::vector<ScoredRecording>> scored = score_recordings(options);
  if (!scored) return fail(scored.error());
  for (const auto& [agent, result] : by_agent(*scored)) {
    if (result.score.scored_ms == 0) {
      return fail(base::usage_error(agent + ": no recording of it says what was true"));
    }
  }
  if (options.json) {
    fmt::print("{}\n", to_json(*scored));
  } else {
    fmt::print("{}", table(*scored));
    if (options.worst > 0) {
      fmt::print("\nlongest failures\n{}", worst(*scored, options.worst));
    }
  }
  if (options.require.empty()) return 0;
  const std::vector<std::string> lines = shortfalls(*scored, requirement);
  for (const std::string& line : lines) fmt::print(stderr, "{}\n", line);
  return lines.empty() ? 0 : 1;
}

int parse_and_measure(int argc, char** argv) {
  CLI::App app("Replays recordings DIR/<agent>/*.cast and scores the statuses said.", "accuracy");
  Options options;
  add_selection_options(app, options.selection);
  app.add_option("--by", options.selection.by, "read them all by the manifest of this agent");
  app.add_option("--manifest", options.selection.manifest,
                 "a manifest's file, added to the binary's");
  app.add_option("--worst", options.worst, "list the N longest failures");
  app.add_flag("--json", options.json, "JSON, the recordings too, instead of the table");
  app.add_option(
      "--require", options.require,
      "PERCENT[,AGENT=PERCENT]...: exit 1 where an agent has drops, misses, a false idle "
      "of 1 s or more, or an acc_len below that");
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
