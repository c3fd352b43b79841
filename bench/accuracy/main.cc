// How often the detector is right: replays recordings of real agents and scores the statuses
// against the recordings' own "state=" markers. docs/detection.md says what is measured.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "accuracy/report.h"
#include "adapters/registry.h"
#include "detect/pattern.h"
#include "session/replay.h"
#include "store/file_io.h"

namespace orch::accuracy {
namespace {

struct Options {
  std::string folder, ignore, exclude, require;
  std::vector<std::string> agents;
  size_t worst = 0;
  bool json = false;
};

constexpr size_t kMaxIgnoreBytes = 1 << 20;

base::Error in_file(const std::string& path, const base::Error& error) {
  return {error.code, path + ": " + error.text};
}

base::Result<IgnoredSpans> read_ignored(const std::string& path) {
  if (path.empty()) return IgnoredSpans{};
  const base::Result<std::string> text = store::read_file(path, kMaxIgnoreBytes);
  if (!text) return text.error();
  base::Result<IgnoredSpans> ignored = parse_ignored(*text);
  if (!ignored) return in_file(path, ignored.error());
  return ignored;
}

struct RecordingFile {
  std::string path, agent, name;
};

// FOLDER/<agent>/*.cast, sorted.
base::Result<std::vector<RecordingFile>> find_recordings(const Options& options) {
  namespace fs = std::filesystem;
  std::optional<detect::Pattern> excluded;
  if (!options.exclude.empty()) {
    base::Result<detect::Pattern> pattern = detect::Pattern::compile(options.exclude);
    if (!pattern) return in_file("--exclude", pattern.error());
    excluded = std::move(*pattern);
  }
  std::vector<RecordingFile> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(options.folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry.depth() != 1 || entry->path().extension() != ".cast") continue;
    const std::string agent = entry->path().parent_path().filename();
    const std::string name = agent + "/" + entry->path().stem().string();
    const bool chosen = options.agents.empty() ||
                        std::count(options.agents.begin(), options.agents.end(), agent) > 0;
    if (!chosen || (excluded && excluded->matches(name))) continue;
    files.push_back({entry->path(), agent, name});
  }
  if (error) return base::system_error("read " + options.folder, error.value());
  if (files.empty()) return base::usage_error("no recordings in " + options.folder + "/<agent>");
  std::sort(files.begin(), files.end(),
            [](const RecordingFile& a, const RecordingFile& b) { return a.name < b.name; });
  return files;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

base::Result<Result> score_recording(const RecordingFile& file, const adapters::Manifest& manifest,
                                     const detect::RuleSet& rules,
                                     const std::vector<Span>& ignored) {
  const base::Result<store::Cast> cast = store::read_cast(file.path);
  if (!cast) return cast.error();
  base::Result<Truth> truth = truth_of(*cast);
  if (!truth) return in_file(file.path, truth.error());
  ignore(*truth, ignored);
  const double start = thread_seconds();
  const std::vector<session::ReplayedEvent> events = session::Replay(*cast, manifest, rules).run();
  const double replay_s = thread_seconds() - start;
  return Result{score(*truth, timeline_of(events)), static_cast<double>(cast->end_us) / 1e6,
                replay_s};
}

base::Result<std::vector<ScoredRecording>> score_recordings(const Options& options) {
  const base::Result<IgnoredSpans> ignored = read_ignored(options.ignore);
  if (!ignored) return ignored.error();
  const base::Result<std::vector<RecordingFile>> files = find_recordings(options);
  if (!files) return files.error();
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  if (!registry) return registry.error();
  std::map<std::string, detect::RuleSet> rules;
  std::vector<ScoredRecording> scored;
  for (const RecordingFile& file : *files) {
    const adapters::Manifest* manifest = registry->find(file.agent);
    if (manifest == nullptr) {
      return base::usage_error(file.path + ": there is no agent \"" + file.agent + "\" (" +
                               registry->names() + ")");
    }
    if (!rules.contains(file.agent)) {
      base::Result<detect::RuleSet> compiled = detect::RuleSet::compile(manifest->rules);
      if (!compiled) return in_file(file.agent, compiled.error());
      rules.emplace(file.agent, std::move(*compiled));
    }
    const auto spans = ignored->find(file.name);
    base::Result<Result> result =
        score_recording(file, *manifest, rules.at(file.agent),
                        spans == ignored->end() ? std::vector<Span>{} : spans->second);
    if (!result) return result.error();
    scored.push_back({file.agent, file.name, std::move(*result)});
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
  app.add_option("DIR", options.folder, "a folder with one sub-folder per agent")->required();
  app.add_option("--ignore", options.ignore,
                 "JSON lines {\"recording\", \"from_s\", \"to_s\"}: time that is not scored");
  app.add_option("--agent", options.agents, "only this agent; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--worst", options.worst, "list the N longest failures");
  app.add_flag("--json", options.json, "JSON, the recordings too, instead of the table");
  app.add_option("--exclude", options.exclude, "leave out recordings whose AGENT/NAME matches");
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
