// term_bench: measures how fast bytes become a screen and a status: the engine, with and without
// the detector, compared with libvterm's screen layer, with stripping by RE2, and with the best
// that the hardware can do.
//   term_bench FOLDER [--size 120x40] [--mb 64] [--rounds 5] [--only NAME]... [--json]
//   term_bench FOLDER --once CONTENDER
// --once reads each stream once and prints nothing, so that instructions can be counted. CONTENDER
// can also be "recorded": follows the recordings in their own time; or "literals" or "expressions":
// searches the rows that changed in them with or without the literal fast path.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "speed/fast_path.h"
#include "speed/figures.h"

namespace orch::speed {
namespace {

struct Options {
  std::string folder = ORCH_RECORDINGS;
  std::string size = "120x40";
  std::vector<std::string> only;
  std::string once;
  size_t megabytes = 64;
  int rounds = 5;
  bool json = false;
};

bool wanted(const Options& options, const std::string& name) {
  return options.only.empty() || std::count(options.only.begin(), options.only.end(), name) > 0;
}

// The agent's own rules; for other streams those of claude.
base::Result<detect::RuleSet> rules_for(const adapters::Registry& registry,
                                        const std::string& name) {
  const adapters::Manifest* manifest = registry.find(name);
  if (manifest == nullptr) manifest = registry.find("claude");
  return detect::RuleSet::compile(manifest->rules);
}

struct Bench {
  const Options& options;
  const adapters::Registry& registry;
  const std::vector<AgentRecordings>& recordings;
  term::Size size;
};

// Calls use(name, task) for each stream that is wanted.
template <class Use>
base::Status for_each_stream(const Bench& bench, Use use) {
  for (const std::string& name : stream_names(bench.recordings)) {
    if (!wanted(bench.options, name)) continue;
    const auto rules = rules_for(bench.registry, name);
    if (!rules) return rules.error();
    const std::string stream =
        make_stream(name, bench.recordings, bench.size, bench.options.megabytes << 20);
    if (!stream.empty()) use(name, Task{stream, bench.size, *rules});
  }
  return base::Ok{};
}

// Calls use(recordings, rules) for each agent that is wanted.
template <class Use>
base::Status for_each_agent(const Bench& bench, Use use) {
  for (const AgentRecordings& agent : bench.recordings) {
    if (!wanted(bench.options, agent.agent)) continue;
    const auto rules = rules_for(bench.registry, agent.agent);
    if (!rules) return rules.error();
    use(agent, *rules);
  }
  return base::Ok{};
}

base::Status run_once(const Bench& bench) {
  if (bench.options.once == "recorded") {
    return for_each_agent(bench, [](const AgentRecordings& agent, const detect::RuleSet& rules) {
      static_cast<void>(follow(agent, rules, 1));
    });
  }
  if (bench.options.once == "literals" || bench.options.once == "expressions") {
    const Search how =
        bench.options.once == "literals" ? Search::kLiteralsFirst : Search::kExpressionsOnly;
    return for_each_agent(bench, [how](const AgentRecordings& agent, const detect::RuleSet& rules) {
      search_once(changed_rows(agent, rules), rules, how, 20);
    });
  }
  const auto contender =
      std::find_if(contenders().begin(), contenders().end(),
                   [&](const Contender& c) { return c.name == bench.options.once; });
  if (contender == contenders().end()) {
    return base::usage_error("--once: there is no \"" + bench.options.once + "\"");
  }
  size_t streams = 0;
  const base::Status done = for_each_stream(bench, [&](const std::string&, const Task& task) {
    contender->run(task);
    ++streams;
  });
  if (done && streams == 0) return base::usage_error("there is no such stream");
  return done;
}

// Checks that there is a stream for every --only, and that each figure is a number.
base::Status check(const std::vector<StreamFigures>& streams,
                   const std::vector<RecordedTime>& agents,
                   const std::vector<std::string>& wanted_names) {
  for (const std::string& name : wanted_names) {
    if (std::none_of(streams.begin(), streams.end(),
                     [&name](const StreamFigures& s) { return s.name == name; })) {
      return base::usage_error("--only: there is no \"" + name + "\"");
    }
  }
  if (streams.empty()) return base::usage_error("there is no stream to measure");
  for (const StreamFigures& stream : streams) {
    for (const double speed : stream.speeds) {
      if (!std::isfinite(speed) || speed <= 0) {
        return base::Error{base::ErrorCode::kSystem, stream.name + ": nothing was measured"};
      }
    }
  }
  for (const RecordedTime& agent : agents) {
    if (agent.samples == 0 || agent.detect_s <= 0) {
      return base::Error{base::ErrorCode::kSystem, agent.agent + ": nothing was followed"};
    }
  }
  return base::Ok{};
}

base::Status measure_all(const Bench& bench) {
  const Options& options = bench.options;
  std::vector<StreamFigures> figures;
  const base::Status done = for_each_stream(bench, [&](const std::string& name, const Task& task) {
    figures.push_back(measure(name, task, options.rounds));
  });
  if (!done) return done;
  std::vector<RecordedTime> recorded;
  std::vector<FastPath> fast;
  const base::Status followed =
      for_each_agent(bench, [&](const AgentRecordings& agent, const detect::RuleSet& rules) {
        recorded.push_back(follow(agent, rules, options.rounds));
        fast.push_back(search_rows(agent, rules, options.rounds));
      });
  if (!followed) return followed;
  if (options.json) {
    fmt::print("{}", json_of(figures, recorded));
  } else {
    fmt::print("{}x{}, {} MB a stream in pieces of {} B, thread CPU time, medians of {} rounds\n{}",
               bench.size.cols, bench.size.rows, options.megabytes, kChunk, options.rounds,
               table_of(figures));
    fmt::print("\n{}\n{}", table_of(recorded), table_of(fast));
  }
  return check(figures, recorded, options.only);
}

base::Status run(const Options& options) {
  const auto size = store::parse_cast_size(options.size);
  if (!size) return base::usage_error("--size: \"" + options.size + "\" is not a size");
  const auto registry = adapters::Registry::load({});
  if (!registry) return registry.error();
  const auto recordings = read_recordings(options.folder);
  if (!recordings) return recordings.error();
  const Bench bench{options, *registry, *recordings, {size->cols, size->rows}};
  return options.once.empty() ? measure_all(bench) : run_once(bench);
}

}  // namespace
}  // namespace orch::speed

int main(int argc, char** argv) {
  orch::speed::Options options;
  CLI::App app("How fast bytes become a screen and a status.");
  app.add_option("FOLDER", options.folder, "recordings, one sub-folder per agent");
  app.add_option("--size", options.size, "COLSxROWS of the screen");
  app.add_option("--mb", options.megabytes, "length of each stream");
  app.add_option("--rounds", options.rounds, "medians of so many")->check(CLI::Range(1, 1000));
  app.add_option("--only", options.only, "only this stream; may be repeated");
  app.add_option("--once", options.once, "run this contender once over each stream");
  app.add_flag("--json", options.json, "JSON instead of tables");
  CLI11_PARSE(app, argc, argv);
  const orch::base::Status done = orch::speed::run(options);
  if (done) return 0;
  fmt::print(stderr, "term_bench: {}\n", done.error().text);
  return 2;
}
