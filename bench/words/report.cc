#include "words/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "words/word_text.h"

namespace orch::words {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kWidest = 100;  // how many characters of a difference are shown

std::string line_of(const std::string& what, const Score& score) {
  const std::optional<double> recall = score.recall();
  return fmt::format("{:<9} {:>4} {:>6} {:>6} {:>8} {:>8} {:>8} {:>7} {:>8}\n", what,
                     score.recordings, score.lines, score.said,
                     recall ? fmt::format("{:.2f}%", 100 * *recall) : "-", score.repeats,
                     score.partial, score.chrome, score.inexact);
}

Json json_of(const Score& score) {
  const std::optional<double> recall = score.recall();
  return {{"recordings", score.recordings},
          {"lines", score.lines},
          {"said", score.said},
          {"told", score.told},
          {"recall", recall ? Json(*recall) : Json()},
          {"repeats", score.repeats},
          {"partial", score.partial},
          {"chrome", score.chrome},
          {"inexact", score.inexact}};
}

double percent(size_t part, size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::map<std::string, Score> by_agent(std::span<const ScoredRecording> recordings) {
  std::map<std::string, Score> agents;
  for (const ScoredRecording& recording : recordings) {
    add(agents[recording.agent], recording.score);
  }
  return agents;
}

Score total_of(std::span<const ScoredRecording> recordings) {
  Score total;
  for (const ScoredRecording& recording : recordings) add(total, recording.score);
  return total;
}

std::string table(std::span<const ScoredRecording> recordings) {
  std::string text =
      fmt::format("{:<9} {:>4} {:>6} {:>6} {:>8} {:>8} {:>8} {:>7} {:>8}\n", "what", "rec", "lines",
                  "words", "recall", "repeats", "partial", "chrome", "inexact");
  for (const auto& [agent, score] : by_agent(recordings)) text += line_of(agent, score);
  return text + line_of("TOTAL", total_of(recordings));
}

std::string to_json(std::span<const ScoredRecording> recordings, size_t without_truth) {
  Json json = {{"total", json_of(total_of(recordings))},
               {"agents", Json::object()},
               {"recordings", Json::object()},
               {"without_truth", without_truth}};
  for (const auto& [agent, score] : by_agent(recordings)) json["agents"][agent] = json_of(score);
  for (const ScoredRecording& recording : recordings) {
    json["recordings"][recording.name] = json_of(recording.score);
  }
  return json.dump(1);
}

std::string worst(std::span<const ScoredRecording> recordings, size_t count) {
  std::vector<const ScoredRecording*> inexact;
  for (const ScoredRecording& recording : recordings) {
    if (recording.score.inexact > 0) inexact.push_back(&recording);
  }
  std::sort(inexact.begin(), inexact.end(), [](const auto* a, const auto* b) {
    const size_t more = a->score.missing() + a->score.too_many();
    const size_t less = b->score.missing() + b->score.too_many();
    return more != less ? more > less : a->name < b->name;
  });
  inexact.resize(std::min(inexact.size(), count));
  std::string text;
  for (const ScoredRecording* recording : inexact) {
    const Score& score = recording->score;
    text += fmt::format("{}: {}/{} words, {} repeats, {} partial, {} chrome\n", recording->name,
                        score.told, score.said, score.repeats, score.partial, score.chrome);
    for (const std::string& difference : score.differences) {
      text += "    " + shortened(difference, kWidest) + "\n";
    }
  }
  return text;
}

std::vector<std::string> shortfalls(std::span<const ScoredRecording> recordings,
                                    const Requirement& requirement) {
  std::vector<std::string> lines;
  for (const auto& [agent, score] : by_agent(recordings)) {
    const auto special = requirement.recall.percent_of.find(agent);
    const double required = special == requirement.recall.percent_of.end()
                                ? requirement.recall.percent
                                : special->second;
    const double recall = 100 * score.recall().value_or(0);
    const double chrome = percent(score.chrome, score.lines);
    if (recall < required) {
      lines.push_back(fmt::format("{}: recall {:.2f}, {} required", agent, recall, required));
    }
    if (score.repeats > requirement.repeats) {
      lines.push_back(fmt::format("{}: {} repeats", agent, score.repeats));
    }
    if (score.partial > requirement.partial) {
      lines.push_back(fmt::format("{}: {} partial", agent, score.partial));
    }
    if (chrome > requirement.chrome) {
      lines.push_back(fmt::format("{}: {} chrome in {} lines", agent, score.chrome, score.lines));
    }
  }
  return lines;
}

}  // namespace orch::words
