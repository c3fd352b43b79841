#include "accuracy/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

namespace orch::accuracy {
namespace {

using Json = nlohmann::ordered_json;

std::vector<int64_t> all_latencies(const Score& score) {
  std::vector<int64_t> all;
  for (const auto& latencies : score.latency_ms) {
    all.insert(all.end(), latencies.begin(), latencies.end());
  }
  return all;
}

std::string share_text(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::string percentile_text(const Score& score, size_t percent) {
  const auto value = percentile(all_latencies(score), percent);
  return value ? std::to_string(*value) : "-";
}

std::string seconds_text(const Episodes& episodes) {
  return fmt::format("{:.1f}", seconds(episodes.ms));
}

std::optional<double> speed(const Result& result) {
  if (result.replay_s <= 0) return std::nullopt;
  return result.recorded_s / result.replay_s;
}

using Line = std::vector<std::string>;

const Line kHead = {"what",    "rec",  "scored", "acc",      "acc_len", "bal_len",  "f.idle s",
                    "ep",      ">=1s", "drops",  "missed s", "ep",      "f.wait s", "ep",
                    "lat p50", "p95",  "miss",   "short",    "spur",    "exit",     "speed"};

Line line_of(const std::string& what, const Result& result) {
  const Score& score = result.score;
  const Rates shares = rates(score.confusion);
  const std::optional<double> times = speed(result);
  return {what,
          std::to_string(score.recordings),
          fmt::format("{:.0f}s", seconds(score.scored_ms)),
          share_text(shares.acc),
          share_text(shares.acc_len),
          share_text(shares.bal_len),
          seconds_text(score.false_idle),
          std::to_string(score.false_idle.count),
          std::to_string(score.false_idle.lasting),
          std::to_string(score.drops),
          seconds_text(score.missed),
          std::to_string(score.missed.count),
          seconds_text(score.false_wait),
          std::to_string(score.false_wait.count),
          percentile_text(score, 50),
          percentile_text(score, 95),
          fmt::format("{}/{}", score.misses, score.changes),
          std::to_string(score.short_misses),
          std::to_string(score.spurious),
          score.exits > 0 ? fmt::format("{}/{}", score.exits_seen, score.exits) : "-",
          times ? fmt::format("{:.0f}x", *times) : "-"};
}

// Aligns the first column to the left and the others to the right.
std::string aligned(const std::vector<Line>& lines) {
  std::vector<size_t> widths(kHead.size());
  for (const Line& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (size_t i = 1; i < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], widths[i]);
    text += '\n';
  }
  return text;
}

std::string status_text(std::optional<AgentStatus> said) {
  return said ? std::string(event::name(*said)) : "none";
}

Json json_of(std::optional<double> number) { return number ? Json(*number) : Json(); }

Json json_of(const std::vector<int64_t>& latencies) {
  return {{"n", latencies.size()},
          {"p50", *percentile(latencies, 50)},
          {"p95", *percentile(latencies, 95)},
          {"max", *percentile(latencies, 100)}};
}

Json latency_json(const Score& score) {
  Json json = Json::object();
  const std::vector<int64_t> all = all_latencies(score);
  if (!all.empty()) json["all"] = json_of(all);
  for (size_t status = 0; status < kStatusCount; ++status) {
    const std::vector<int64_t>& latencies = score.latency_ms[status];
    if (latencies.empty()) continue;
    json[event::name(static_cast<AgentStatus>(status))] = json_of(latencies);
  }
  return json;
}

// {"working>idle": milliseconds}: the true status, then the one that was said.
Json confusion_json(const Confusion& confusion) {
  Json json = Json::object();
  for (size_t truth = 0; truth < kStatusCount; ++truth) {
    for (size_t said = 0; said <= kNothing; ++said) {
      if (confusion[truth][said] == 0) continue;
      const auto word =
          said == kNothing ? std::nullopt : std::optional(static_cast<AgentStatus>(said));
      json[status_text(static_cast<AgentStatus>(truth)) + ">" + status_text(word)] =
          confusion[truth][said];
    }
  }
  return json;
}

void put(Json& json, const std::string& name, const Episodes& episodes) {
  json[name + "_s"] = seconds(episodes.ms);
  json[name + "_n"] = episodes.count;
  json[name + "_long"] = episodes.lasting;
}

Json json_of(const Result& result) {
  const Score& score = result.score;
  const Rates shares = rates(score.confusion);
  Json json = {{"recordings", score.recordings},     {"scored_s", seconds(score.scored_ms)},
               {"acc", json_of(shares.acc)},         {"acc_len", json_of(shares.acc_len)},
               {"bal_acc", json_of(shares.bal_acc)}, {"bal_len", json_of(shares.bal_len)}};
  put(json, "false_idle", score.false_idle);
  json["false_idle_drops"] = score.drops;
  put(json, "missed", score.missed);
  put(json, "false_wait", score.false_wait);
  json["latency"] = latency_json(score);
  json["transitions"] = score.changes;
  json["misses"] = score.misses;
  json["short_misses"] = score.short_misses;
  json["spurious"] = score.spurious;
  json["confusion"] = confusion_json(score.confusion);
  if (score.exits > 0) json["exit"] = {{"n", score.exits}, {"seen", score.exits_seen}};
  json["speed"] = json_of(speed(result));
  return json;
}

std::optional<double> percent_in(std::string_view text) {
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool good = error == std::errc() && end == text.data() + text.size();
  return good && percent >= 0 && percent <= 100 ? std::optional(percent) : std::nullopt;
}

}  // namespace

void add(Result& sum, const Result& result) {
  add(sum.score, result.score);
  sum.recorded_s += result.recorded_s;
  sum.replay_s += result.replay_s;
}

std::map<std::string, Result> by_agent(std::span<const ScoredRecording> recordings) {
  std::map<std::string, Result> agents;
  for (const ScoredRecording& recording : recordings) {
    add(agents[recording.agent], recording.result);
  }
  return agents;
}

Result total_of(std::span<const ScoredRecording> recordings) {
  Result total;
  for (const ScoredRecording& recording : recordings) add(total, recording.result);
  return total;
}

std::string table(std::span<const ScoredRecording> recordings) {
  std::vector<Line> lines = {kHead};
  for (const auto& [agent, result] : by_agent(recordings)) lines.push_back(line_of(agent, result));
  lines.push_back(line_of("TOTAL", total_of(recordings)));
  return aligned(lines);
}

std::string to_json(std::span<const ScoredRecording> recordings) {
  Json json = {{"total", json_of(total_of(recordings))},
               {"agents", Json::object()},
               {"recordings", Json::object()}};
  for (const auto& [agent, result] : by_agent(recordings)) json["agents"][agent] = json_of(result);
  for (const ScoredRecording& recording : recordings) {
    json["recordings"][recording.name] = json_of(recording.result);
  }
  return json.dump(1);
}

std::string worst(std::span<const ScoredRecording> recordings, size_t count) {
  // Length, recording, begin, end, truth, said: sorted by length, longest first, then by the
  // others.
  using Entry = std::tuple<int64_t, std::string, int64_t, int64_t, std::string_view, std::string>;
  std::vector<Entry> entries;
  for (const ScoredRecording& recording : recordings) {
    for (const Wrong& wrong : recording.result.score.wrong) {
      entries.emplace_back(wrong.end_ms - wrong.begin_ms, recording.name, wrong.begin_ms,
                           wrong.end_ms, event::name(wrong.truth), status_text(wrong.said));
    }
  }
  std::sort(entries.rbegin(), entries.rend());
  entries.resize(std::min(entries.size(), count));
  std::string text;
  for (const auto& [ms, name, begin, end, truth, said] : entries) {
    text += fmt::format("{:7.2f}s  {:<40} {:7.2f}-{:7.2f}  truth {}, tool {}\n", seconds(ms), name,
                        seconds(begin), seconds(end), truth, said);
  }
  return text;
}

base::Result<Requirement> parse_requirement(std::string_view text) {
  Requirement requirement;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const size_t equals = item.find('=');
    const bool named = equals != std::string_view::npos;
    const auto percent = percent_in(named ? item.substr(equals + 1) : item);
    if (!percent || equals == 0) {
      return base::usage_error(fmt::format("\"{}\" is not PERCENT or AGENT=PERCENT", item));
    }
    (named ? requirement.percent_of[std::string(item.substr(0, equals))] : requirement.percent) =
        *percent;
    begin = end + 1;
  }
  return requirement;
}

std::vector<std::string> shortfalls(std::span<const ScoredRecording> recordings,
                                    const Requirement& requirement) {
  std::vector<std::string> lines;
  for (const auto& [agent, result] : by_agent(recordings)) {
    const Score& score = result.score;
    const auto special = requirement.percent_of.find(agent);
    const double required =
        special == requirement.percent_of.end() ? requirement.percent : special->second;
    const double percent = 100 * rates(score.confusion).acc_len.value_or(0);
    if (score.drops > 0) lines.push_back(fmt::format("{}: {} drops", agent, score.drops));
    if (score.misses > 0) lines.push_back(fmt::format("{}: {} misses", agent, score.misses));
    if (score.false_idle.lasting > 0) {
      lines.push_back(fmt::format("{}: {} times falsely idle for a second or more", agent,
                                  score.false_idle.lasting));
    }
    if (percent < required) {
      lines.push_back(fmt::format("{}: acc_len {:.2f}, {} required", agent, percent, required));
    }
  }
  return lines;
}

}  // namespace orch::accuracy
