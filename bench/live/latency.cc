#include "live/latency.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "live/counters.h"
#include "live/orch_run.h"
#include "live/temporary_folder.h"

namespace orch::live {
namespace {

// Times in ms, by run.
using Moments = std::map<std::string, std::vector<double>>;

struct Change {
  double at_ms = 0;
  bool working = false;  // false: any other status
};

// Finds the run that a record belongs to: only the first record of a session names the run, and if
// there is only one session, the other records do not name the session either.
class Runs {
 public:
  void begin(const nlohmann::json& record) {
    last_ = record.value("session", "");
    runs_[last_] = record.value("run", "");
  }
  // Empty if the record's session has not begun.
  std::string run_of(const nlohmann::json& record) const {
    const auto run = runs_.find(record.value("session", last_));
    return run == runs_.end() ? "" : run->second;
  }

 private:
  std::string last_;                         // the session that began last
  std::map<std::string, std::string> runs_;  // by session
};

struct Told {
  std::map<std::string, std::vector<Change>> changes;  // by run
  double seconds = 0;  // how long the host lived, up to its last second
  Counters used;       // what the host had used by then
};

Told read_until_end(OrchRun& run) {
  Told told;
  Runs runs;
  const auto see = [&told, &runs](std::string_view line, double at_ms) {
    const bool begins = line.find("\"event\":\"session\"") != line.npos;
    if (!begins && line.find("\"event\":\"status\"") == line.npos) return;
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (record.is_discarded()) return;
    if (begins) return runs.begin(record);
    const bool working = record.value("status", "") == "working";
    std::vector<Change>& changes = told.changes[runs.run_of(record)];
    // A change of the cause alone does not count.
    if (changes.empty() || changes.back().working != working) changes.push_back({at_ms, working});
  };
  const double start = monotonic_ms();
  while (run.read_lines(-1, see)) {
    const double seconds = (monotonic_ms() - start) / 1e3;
    if (seconds < told.seconds + 1) continue;
    const base::Result<Counters> counters = counters_of(run.pid());
    if (!counters) continue;  // the host is just ending
    told.seconds = seconds;
    told.used = *counters;
  }
  return told;
}

Moments read_stamps(const std::string& path) {
  Moments stamps;
  std::ifstream file(path);
  std::string run;
  for (double ns = 0; file >> run >> ns;) stamps[run].push_back(ns / 1e6);
  return stamps;
}

struct Lags {
  std::vector<double> ms;
  uint64_t missed = 0;  // turns without a record before the next turn began
  // Turns that began while `working` was still said, so that no record could follow.
  uint64_t unrested = 0;
};

void add_lags(const std::vector<double>& shown, const std::vector<Change>& changes, Lags& lags) {
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto next =
        std::find_if(changes.begin(), changes.end(),
                     [at = shown[i]](const Change& change) { return change.at_ms >= at; });
    const bool told = next != changes.end() && next->working &&
                      (i + 1 == shown.size() || next->at_ms < shown[i + 1]);
    if (told) {
      lags.ms.push_back(next->at_ms - shown[i]);
    } else if (next != changes.begin() && std::prev(next)->working) {
      ++lags.unrested;
    } else {
      ++lags.missed;
    }
  }
}

}  // namespace

base::Result<std::vector<Figure>> measure_latency(const LatencyPlan& plan) {
  const TemporaryFolder folder;
  const std::string stamps_path = folder.file("stamps");
  const bool flood = plan.when == LatencyPlan::When::kInFlood;
  auto run = OrchRun::start(
      folder, {.agent = {flood ? "flood" : "turns", stamps_path, std::to_string(plan.turns)},
               .sessions = plan.sessions,
               .prompt = "begin",
               .options = {"--output", "json", "--record-limit", "64M"}});
  if (!run) return run.error();
  const Told told = read_until_end(**run);
  if (const int code = (*run)->wait(); code != 0) {
    return base::Error{base::ErrorCode::kSystem,
                       "orch run ended with " + std::to_string(code) + ": " + (*run)->errors()};
  }
  Lags lags;
  for (const auto& [name, shown] : read_stamps(stamps_path)) {
    const auto changes = told.changes.find(name);
    if (changes == told.changes.end()) {
      lags.missed += shown.size();
    } else {
      add_lags(shown, changes->second, lags);
    }
  }
  std::vector<Figure> figures = distribution(plan.name, lags.ms, "ms");
  const uint64_t n = lags.ms.size() + lags.missed + lags.unrested;
  figures.push_back({plan.name + ".missed", static_cast<double>(lags.missed), "turns", n});
  figures.push_back({plan.name + ".unrested", static_cast<double>(lags.unrested), "turns", n});
  if (flood && told.seconds > 0) {
    const double megabytes = static_cast<double>(told.used.read_bytes) / 1e6;
    const auto writes = static_cast<double>(told.used.writes);
    figures.push_back({plan.name + ".rate", megabytes / told.seconds, "MB/s", 1});
    figures.push_back({plan.name + ".cpu", told.used.cpu_ms / megabytes, "ms/MB", 1});
    figures.push_back({plan.name + ".writes", writes / megabytes, "writes/MB", 1});
  }
  return figures;
}

}  // namespace orch::live
