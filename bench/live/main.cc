// live_bench: measures what live sessions cost: CPU, reads, wake-ups and allocations for an agent's
// output; the time until a status is reported; memory and wake-ups of sessions at rest; and the
// start of a child.
//   live_bench [FOLDER] [--only NAME]... [--json]
// Fails if something was not measured; bench/floors.json has the bounds.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "live/frames.h"
#include "live/idle.h"
#include "live/latency.h"
#include "live/passage.h"
#include "live/spawn.h"
#include "live/temporary_folder.h"
#include "speed/streams.h"

namespace orch::live {
namespace {

constexpr size_t kBytesBeforeRest = 256 << 10;

struct Options {
  std::string folder = ORCH_RECORDINGS;
  std::string stream = "mix";
  std::vector<std::string> only;
  size_t megabytes = 64;
  int rounds = 5;
  int turns = 1000;
  int sessions = 200;
  int seconds = 30;
  int spawns = 500;
  bool json = false;
};

using Figures = base::Result<std::vector<Figure>>;

base::Status write_stream(const Options& options, const std::string& name, size_t bytes,
                          const std::string& path) {
  const auto recordings = speed::read_recordings(options.folder);
  if (!recordings) return recordings.error();
  const std::string stream = speed::make_stream(name, *recordings, {120, 40}, bytes);
  if (stream.empty()) return base::usage_error("--stream: there is no \"" + name + "\"");
  std::ofstream(path, std::ios::binary) << stream;
  return base::Ok{};
}

Figures measure_stream(const Options& options, Figures (*measure)(const PassagePlan& plan)) {
  const auto registry = adapters::Registry::load({});
  if (!registry) return registry.error();
  const adapters::Manifest* manifest = registry->find(options.stream);
  if (manifest == nullptr) manifest = registry->find("claude");
  const auto rules = detect::RuleSet::compile(manifest->rules);
  if (!rules) return rules.error();
  const TemporaryFolder folder;
  const std::string path = folder.file("stream");
  if (auto written = write_stream(options, options.stream, options.megabytes << 20, path);
      !written) {
    return written.error();
  }
  return measure({path, *manifest, *rules, driver::Speakers::of(*manifest), options.rounds});
}

// Of sessions whose agents write a part of claude's recordings first.
Figures measure_after_stream(const Options& options,
                             const std::function<Figures(const std::string& path)>& measure) {
  const TemporaryFolder folder;
  const std::string path = folder.file("stream");
  if (auto written = write_stream(options, "claude", kBytesBeforeRest, path); !written) {
    return written.error();
  }
  return measure(path);
}

Figures measure_rest(const Options& options) {
  return measure_after_stream(options, [&options](const std::string& path) {
    return measure_idle({path, options.sessions, options.seconds});
  });
}

Figures measure_drawing(const Options& options) {
  return measure_after_stream(options, [&options](const std::string& path) {
    return measure_frames({path, options.seconds});
  });
}

// Runs several sessions at once, so that all turns together take only some minutes.
Figures measure_turns(const Options& options, LatencyPlan plan) {
  plan.turns = std::max(options.turns / plan.sessions, 1);
  return measure_latency(plan);
}

struct Measurement {
  const char* name;
  const char* about;
  std::function<Figures(const Options&)> run;
};

const std::vector<Measurement>& measurements() {
  using When = LatencyPlan::When;
  static const std::vector<Measurement> kAll{
      {"pty", "reading a stream through a pty",
       [](const Options& options) { return measure_stream(options, measure_passages); }},
      {"view", "following what a stream shows, in simulated time",
       [](const Options& options) { return measure_stream(options, measure_views); }},
      {"alone", "from a write to `working`, one session",
       [](const Options& options) {
         return measure_latency(
             {When::kAfterQuiet, 1, std::max(options.turns / 10, 1), "latency.alone"});
       }},
      {"turns", "... ten sessions of one host",
       [](const Options& options) {
         return measure_turns(options, {When::kAfterQuiet, 10, 0, "latency.turns"});
       }},
      {"flood", "... inside floods, four sessions",
       [](const Options& options) {
         return measure_turns(options, {When::kInFlood, 4, 0, "latency.flood"});
       }},
      {"idle", "sessions at rest", measure_rest},
      {"frames", "a session that draws a spinner and a clock", measure_drawing},
      {"spawn", "starting a child",
       [](const Options& options) { return measure_spawn(options.spawns); }}};
  return kAll;
}

bool wanted(const Options& options, const std::string& name) {
  return options.only.empty() || std::count(options.only.begin(), options.only.end(), name) > 0;
}

base::Status check(const std::vector<Figure>& figures) {
  std::string text;
  for (const std::string& line : unmeasured(figures)) {
    text += (text.empty() ? "" : "\nlive_bench: ") + line;
  }
  if (!text.empty()) return base::Error{base::ErrorCode::kSystem, text};
  return base::Ok{};
}

base::Status check(const Options& options) {
  for (const std::string& name : options.only) {
    const auto& all = measurements();
    if (std::none_of(all.begin(), all.end(), [&name](const auto& m) { return m.name == name; })) {
      return base::usage_error("--only: there is no \"" + name + "\"");
    }
  }
  return base::Ok{};
}

base::Status run(const Options& options) {
  if (base::Status known = check(options); !known) return known;
  std::vector<Figure> figures;
  for (const Measurement& measurement : measurements()) {
    if (!wanted(options, measurement.name)) continue;
    const Figures measured = measurement.run(options);
    if (!measured) return measured.error();
    if (!options.json) fmt::print("{}", table_of(*measured));
    std::fflush(stdout);
    figures.insert(figures.end(), measured->begin(), measured->end());
  }
  if (options.json) fmt::print("{}", json_of(figures));
  return check(figures);
}

std::string footer() {
  std::string text = "NAME is one of\n";
  for (const Measurement& m : measurements()) text += fmt::format("  {:<8}{}\n", m.name, m.about);
  return text + "\nExample: live_bench --only turns --only flood --turns 200\n";
}

}  // namespace
}  // namespace orch::live

int main(int argc, char** argv) {
  orch::live::Options options;
  CLI::App app("What a live session costs.");
  app.add_option("FOLDER", options.folder, "recordings, one sub-folder per agent");
  app.add_option("--only", options.only, "measure this only; may be repeated");
  app.add_option("--stream", options.stream,
                 "pty, view: an agent, or mix, plain, coloured, repaint");
  app.add_option("--mb", options.megabytes, "pty, view: length of the stream");
  app.add_option("--rounds", options.rounds, "pty: medians of so many")->check(CLI::Range(1, 1000));
  app.add_option("--turns", options.turns, "turns, flood: so many in all; alone: a tenth");
  app.add_option("--sessions", options.sessions, "idle: sessions of the host");
  app.add_option("--seconds", options.seconds, "idle, frames: how long they are watched");
  app.add_option("--spawns", options.spawns, "spawn: so many from each size");
  app.add_flag("--json", options.json, "JSON instead of a table");
  app.footer(orch::live::footer());
  CLI11_PARSE(app, argc, argv);
  const orch::base::Status done = orch::live::run(options);
  if (done) return 0;
  fmt::print(stderr, "live_bench: {}\n", done.error().text);
  return done.error().code == orch::base::ErrorCode::kUsage ? 2 : 1;
}
