// Measures how well an agent's words are told: replays recordings of real agents and compares the
// resulting lines with what the model server sent. bench/README.md says what is measured.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accuracy/recordings.h"
#include "adapters/registry.h"
#include "session/replay.h"
#include "store/cast_reader.h"
#include "words/report.h"
#include "words/said.h"
#include "words/score.h"

namespace orch::words {
namespace {

struct Options {
  accuracy::Selection selection;
  std::vector<std::string> scenarios;
  std::string exclude_scenarios{kCutShort};
  std::string require;
  Requirement requirement;
  size_t worst = 0;
  bool json = false;
};

struct Scored {
  std::vector<ScoredRecording> recordings;
  size_t without_truth = 0;
};

// The agents' manifests and rules; rules are compiled when they are first needed.
class Agents {
 public:
  explicit Agents(adapters::Registry registry) : registry_(std::move(registry)) {}

  base::Result<std::vector<std::string>> replay(const accuracy::RecordingFile& file,
                                                const store::Cast& cast) {
    const base::Result<const adapters::Manifest*> manifest = manifest_of(registry_, file);
    if (!manifest) return manifest.error();
    if (!rules_.contains(file.agent)) {
      base::Result<detect::RuleSet> compiled = detect::RuleSet::compile((*manifest)->rules);
      if (!compiled) return accuracy::in_file(file.agent, compiled.error());
      rules_.emplace(file.agent, std::move(*compiled));
    }
    return lines_told(session::Replay(cast, **manifest, rules_.at(file.agent)).run());
  }

 private:
  adapters::Registry registry_;
  std::map<std::string, detect::RuleSet> rules_;
};

base::Result<Said> truth_of(const accuracy::RecordingFile& file, const store::Cast& cast,
                            const Scenarios& scenarios) {
  base::Result<Said> said = said_in(cast);
  if (!said) return accuracy::in_file(file.path, said.error());
  return *said ? std::move(said) : scenarios.said_in(file);
}

base::Result<Scored> score_recordings(const Options& options) {
  const base::Result<std::vector<accuracy::RecordingFile>> files =
      accuracy::find_recordings(options.selection);
  if (!files) return files.error();
  const base::Result<Scenarios> scenarios =
      Scenarios::in(options.scenarios, options.exclude_scenarios);
  if (!scenarios) return accuracy::in_file("--exclude-scenarios", scenarios.error());
  base::Result<adapters::Registry> registry = adapters::Registry::load({});
  if (!registry) return registry.error();
  Agents agents(std::move(*registry));
  Scored scored;
  for (const accuracy::RecordingFile& file : *files) {
    const base::Result<store::Cast> cast = store::read_cast(file.path);
    if (!cast) return cast.error();
    const base::Result<Said> said = truth_of(file, *cast, *scenarios);
    if (!said) return said.error();
    if (!*said) {
      ++scored.without_truth;
      continue;
    }
    const base::Result<std::vector<std::string>> lines = agents.replay(file, *cast);
    if (!lines) return lines.error();
    scored.recordings.push_back({file.agent, file.name, score(**said, *lines)});
  }
  if (scored.recordings.empty()) {
    return base::usage_error("of no recording in " + options.selection.folder +
                             " it is known what the model said");
  }
  return scored;
}

int fail(const base::Error& error) {
  fmt::print(stderr, "words: {}\n", error.text);
  return 2;
}

void print(const Scored& scored, const Options& options) {
  if (options.json) {
    fmt::print("{}\n", to_json(scored.recordings, scored.without_truth));
    return;
  }
  fmt::print("{}", table(scored.recordings));
  if (scored.without_truth > 0) {
    fmt::print("{} without truth are left out\n", scored.without_truth);
  }
  if (options.worst > 0) fmt::print("\n{}", worst(scored.recordings, options.worst));
}

int measure(Options options) {
  if (!options.require.empty()) {
    base::Result<accuracy::Requirement> recall = accuracy::parse_requirement(options.require);
    if (!recall) return fail(accuracy::in_file("--require", recall.error()));
    options.requirement.recall = std::move(*recall);
  }
  const base::Result<Scored> scored = score_recordings(options);
  if (!scored) return fail(scored.error());
  print(*scored, options);
  if (options.require.empty()) return 0;
  const std::vector<std::string> lines = shortfalls(scored->recordings, options.requirement);
  for (const std::string& line : lines) fmt::print(stderr, "{}\n", line);
  return lines.empty() ? 0 : 1;
}

int parse_and_measure(int argc, char** argv) {
  CLI::App app("Replays recordings DIR/<agent>/*.cast and scores the agent's words told.", "words");
  Options options;
  accuracy::Selection& selection = options.selection;
  Requirement& requirement = options.requirement;
  app.add_option("DIR", selection.folder, "a folder with one sub-folder per agent")->required();
  app.add_option("--agent", selection.agents, "only this agent; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--exclude", selection.exclude, "leave out recordings whose AGENT/NAME matches");
  app.add_option(
         "--scenarios", options.scenarios,
         "a folder with <agent>/<scenario>.json: what the model said where a recording does "
         "not say it itself; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--exclude-scenarios", options.exclude_scenarios,
                 "but for those whose AGENT/SCENARIO matches")
      ->capture_default_str();
  app.add_option("--worst", options.worst, "list the N worst recordings and what differs in them");
  app.add_flag("--json", options.json, "JSON, the recordings too, instead of the table");
  app.add_option("--require", options.require,
                 "PERCENT[,AGENT=PERCENT]...: exit 1 where an agent's recall is below that, or it "
                 "has more than the following");
  app.add_option("--repeats", requirement.repeats, "repeats allowed by --require")
      ->capture_default_str();
  app.add_option("--partial", requirement.partial, "partial lines allowed by --require")
      ->capture_default_str();
  app.add_option("--chrome", requirement.chrome,
                 "lines of chrome in a hundred allowed by --require")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // 0: --help
  }
  return measure(std::move(options));
}

}  // namespace
}  // namespace orch::words

int main(int argc, char** argv) { return orch::words::parse_and_measure(argc, argv); }
