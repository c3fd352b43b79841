#include "live/passage.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <iterator>

#include "live/counters.h"
#include "live/orch_run.h"
#include "live/reader.h"
#include "live/temporary_folder.h"

namespace orch::live {
namespace {

constexpr std::array<std::pair<ReaderKind, const char*>, 3> kReaders{
    {{ReaderKind::kDiscard, "pty.discard"},
     {ReaderKind::kWatch, "pty.watch"},
     {ReaderKind::kRecord, "pty.record"}}};
constexpr double kMb = 1e6;
constexpr int kSettleMs = 1'500;  // a screen at rest is looked at a second later

// What the main thread of an `orch run` uses from the first byte of the stream until all is
// processed.
base::Result<Counters> whole_run(const PassagePlan& plan) {
  const TemporaryFolder folder;
  const std::string go = folder.file("go"), done = folder.file("done");
  if (::mkfifo(go.c_str(), 0600) != 0 || ::mkfifo(done.c_str(), 0600) != 0) {
    return base::system_error("mkfifo in " + folder.path(), errno);
  }
  auto run = OrchRun::start(folder, {.agent = {"stream", plan.stream, go, done},
                                     .sessions = 1,
                                     .prompt = "",
                                     .options = {"--output", "quiet"}});
  if (!run) return run.error();
  const base::Fd gate(::open(go.c_str(), O_WRONLY | O_CLOEXEC));
  const base::Result<Counters> before = counters_of((*run)->pid());
  const base::Fd end(::open(done.c_str(), O_RDONLY | O_CLOEXEC));
  (*run)->read_lines(kSettleMs, [](std::string_view, double) {});
  const base::Result<Counters> after = counters_of((*run)->pid());
  if (!before || !after) return (before ? after : before).error();
  return *after - *before;
}

std::string stream_of(const PassagePlan& plan) {
  std::ifstream file(plan.stream, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Round {
  std::array<Passage, kReaders.size()> passages;
  Counters run;
};

std::vector<double> each(const std::vector<Round>& rounds, auto value) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const Round& round : rounds) values.push_back(value(round));
  return values;
}

std::vector<Figure> figures_of(const std::vector<Round>& rounds, double megabytes) {
  std::vector<Figure> figures;
  const auto add = [&](const std::string& name, const std::string& unit, auto value) {
    const double median = percentile(each(rounds, value), 50);
    figures.push_back({name, median, unit, rounds.size()});
  };
  const auto per_mb = [&](const std::string& name, const std::string& unit, auto value) {
    add(name, unit + "/MB", [&](const Round& r) { return value(r) / megabytes; });
  };
  for (size_t i = 0; i < kReaders.size(); ++i) {
    const std::string name = kReaders[i].second;
    const auto of = [i](auto member) {
      return [i, member](const Round& r) { return static_cast<double>(r.passages[i].*member); };
    };
    per_mb(name + ".cpu", "ms", of(&Passage::cpu_ms));
    per_mb(name + ".wall", "ms", of(&Passage::wall_ms));
    per_mb(name + ".reads", "reads", of(&Passage::reads));
    per_mb(name + ".pieces", "pieces", of(&Passage::pieces));
    per_mb(name + ".wakeups", "wake-ups", of(&Passage::sleeps));
    per_mb(name + ".allocations", "allocs", of(&Passage::allocations));
  }
  const auto ratio = [](size_t i) {
    return [i](const Round& r) { return r.passages[i].cpu_ms / r.passages[0].cpu_ms; };
  };
  add("pty.watch.ratio", "x discard", ratio(1));
  add("pty.record.ratio", "x discard", ratio(2));
  per_mb("run.cpu", "ms", [](const Round& r) { return r.run.cpu_ms; });
  per_mb("run.reads", "reads", [](const Round& r) { return static_cast<double>(r.run.reads); });
  per_mb("run.writes", "writes", [](const Round& r) { return static_cast<double>(r.run.writes); });
  per_mb("run.wakeups", "wake-ups",
         [](const Round& r) { return static_cast<double>(r.run.sleeps); });
  add("run.ratio", "x discard", [](const Round& r) { return r.run.cpu_ms / r.passages[0].cpu_ms; });
  return figures;
}

}  // namespace

base::Result<std::vector<Figure>> measure_passages(const PassagePlan& plan) {
  const std::string stream = stream_of(plan);
  const double megabytes = static_cast<double>(stream.size()) / kMb;
  const TemporaryFolder folder;
  SetTime(plan, nullptr).pass(stream);  // all sessions share what the patterns keep of a first one
  std::vector<Round> rounds;
  for (int i = 0; i < plan.rounds; ++i) {
    Round& round = rounds.emplace_back();
    for (size_t reader = 0; reader < kReaders.size(); ++reader) {
      const auto passage = pass_through(kReaders[reader].first, plan, folder);
      if (!passage) return passage.error();
      round.passages[reader] = *passage;
    }
    const auto run = whole_run(plan);
    if (!run) return run.error();
    round.run = *run;
  }
  return figures_of(rounds, megabytes);
}

base::Result<std::vector<Figure>> measure_views(const PassagePlan& plan) {
  const std::string stream = stream_of(plan);
  const TemporaryFolder folder;
  auto recording = store::Recording::create(folder.file("output.cast"), {});
  if (!recording) return recording.error();
  std::vector<Figure> figures;
  const auto measure = [&](const std::string& name, std::unique_ptr<store::Recording> kept) {
    SetTime passage(plan, std::move(kept));
    passage.pass(stream);
    const uint64_t before = allocations_so_far();
    passage.pass(stream);
    const auto allocations = static_cast<double>(allocations_so_far() - before);
    figures.push_back(
        {name, allocations * kMb / static_cast<double>(stream.size()), "allocs/MB", 1});
  };
  measure("view.allocations", nullptr);
  measure("view.recorded.allocations", std::move(recording).value());
  return figures;
}

}  // namespace orch::live
