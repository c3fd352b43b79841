#include "speed/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace orch::speed {
namespace {

double detection_percent(const StreamFigures& figures) {
  return 100 * (figures.speeds[kOrch] / figures.speeds[kOrchDetecting] - 1);
}

double per(uint64_t count, uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

nlohmann::ordered_json json_of(const RecordedTime& agent) {
  return {{"agent", agent.agent},
          {"recorded_s", agent.recorded_s},
          {"bytes", agent.bytes},
          {"cpu_s",
           {{"screen", agent.screen_s}, {"detecting", agent.detect_s}, {"habit", agent.habit_s}}},
          {"samples", agent.samples},
          {"fast_exits", agent.fast_exits},
          {"evaluations", agent.evaluations},
          {"rows_examined", agent.rows_examined},
          {"rows_searched", agent.rows_searched},
          {"patterns", agent.patterns}};
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

StreamFigures measure(const std::string& name, const Task& task, int rounds) {
  std::vector<std::vector<double>> seconds(contenders().size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < contenders().size(); ++i) {
      const double start = thread_seconds();
      contenders()[i].run(task);
      seconds[i].push_back(thread_seconds() - start);
    }
  }
  StreamFigures figures{name, static_cast<double>(task.stream.size()) / 1e6, {}};
  for (const std::vector<double>& times : seconds) {
    figures.speeds.push_back(figures.megabytes / median(times));
  }
  return figures;
}

std::string table_of(const std::vector<StreamFigures>& streams) {
  std::string out = fmt::format("{:<10}", "MB/s");
  for (const Contender& contender : contenders()) out += fmt::format("{:>12}", contender.name);
  out += fmt::format("{:>11}{:>8}{:>9}\n", "x libvterm", "of scan", "detect");
  for (const StreamFigures& stream : streams) {
    out += fmt::format("{:<10}", stream.name);
    for (const double speed : stream.speeds) out += fmt::format("{:>12.0f}", speed);
    const double detecting = stream.speeds[kOrchDetecting];
    out += fmt::format("{:>11.1f}{:>7.0f}%{:>+8.1f}%\n", detecting / stream.speeds[kLibvterm],
                       100 * detecting / stream.speeds[kBareScan], detection_percent(stream));
  }
  return out;
}

std::string table_of(const std::vector<RecordedTime>& agents) {
  std::string out = fmt::format("{:<10}{:>9}{:>10}{:>10}{:>10}{:>10}{:>9}{:>7}{:>7}{:>9}{:>9}\n",
                                "recorded", "s", "screen", "+detect", "habit", "x time", "samples",
                                "fast", "rules", "rows", "searched");
  for (const RecordedTime& a : agents) {
    out += fmt::format(
        "{:<10}{:>9.0f}{:>7.1f} ms{:>7.1f} ms{:>7.1f} ms{:>10.0f}{:>9}{:>6.0f}%{:>6.0f}%{:>9.1f}"
        "{:>9.2f}\n",
        a.agent, a.recorded_s, 1e3 * a.screen_s, 1e3 * a.detect_s, 1e3 * a.habit_s,
        a.recorded_s / a.detect_s, a.samples, 100 * per(a.fast_exits, a.samples),
        100 * per(a.evaluations, a.samples), per(a.rows_examined, a.samples),
        per(a.rows_searched, a.samples));
  }
  return out + "rows, searched: looked at and searched for the rules' patterns per sample\n";
}

std::string json_of(const std::vector<StreamFigures>& streams,
                    const std::vector<RecordedTime>& agents) {
  nlohmann::ordered_json out;
  for (const StreamFigures& stream : streams) {
    nlohmann::ordered_json speeds;
    for (size_t i = 0; i < stream.speeds.size(); ++i) {
      speeds[contenders()[i].name] = stream.speeds[i];
    }
    out["streams"].push_back(
        {{"name", stream.name}, {"megabytes", stream.megabytes}, {"mb_per_s", speeds}});
  }
  for (const RecordedTime& agent : agents) out["recorded_time"].push_back(json_of(agent));
  return out.dump(2) + "\n";
}

}  // namespace orch::speed
