#include "accuracy/mutation.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "accuracy/altered_replay.h"
#include "base/text.h"

namespace orch::accuracy {
namespace {

using Json = nlohmann::ordered_json;

base::Result<Score> score_with(const adapters::Manifest& manifest,
                               const std::vector<Recording>& recordings) {
  const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) return rules.error();
  Score sum;
  for (const Recording& recording : recordings) {
    add(sum, score_of(recording, manifest, *rules));
  }
  return sum;
}

base::Result<Score> altered_score(const adapters::Manifest& manifest,
                                  const std::vector<Recording>& recordings, Alteration alteration) {
  const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) return rules.error();
  Score sum;
  for (const Recording& recording : recordings) {
    add(sum, score(recording.truth, altered_timeline(recording.cast, *rules, alteration)));
  }
  return sum;
}

double percent(const Score& score) { return 100 * rates(score.confusion).acc_len.value_or(1); }

bool breaks(const Mutant& mutant) { return mutant.fall > kMostFall || mutant.score.drops > 0; }

bool costs(const Mutant& mutant, const Score& whole) {
  constexpr double kNoticeable = 0.05;
  return breaks(mutant) || mutant.fall >= kNoticeable || mutant.score.misses > whole.misses ||
         mutant.score.false_idle.lasting > whole.false_idle.lasting;
}

std::string line_of(const std::string& what, const Score& score, const std::string& fall) {
  return fmt::format("{:>6}  {:>7.2f}  {:>5}  {:>6}  {:>8.1f}  {:>8.1f}  {}\n", fall,
                     percent(score), score.drops, score.misses, seconds(score.missed.ms),
                     seconds(score.false_wait.ms), what);
}

base::Result<Exception> parse_exception(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return base::usage_error("not a JSON object");
  for (const char* field : {"agent", "literal", "why"}) {
    if (!json.contains(field) || !json[field].is_string()) {
      return base::usage_error(fmt::format("\"{}\" must be a text", field));
    }
  }
  return Exception{json["agent"], json["literal"], json["why"]};
}

}  // namespace

base::Result<MutatedAgent> mutate(const adapters::Manifest& manifest,
                                  const std::vector<Recording>& recordings) {
  base::Result<Score> whole = score_with(manifest, recordings);
  if (!whole) return whole.error();
  MutatedAgent agent{manifest.name, std::move(*whole), {}};
  adapters::Manifest mutated = manifest;
  for (const Literal& literal : distinct_literals(manifest.rules)) {
    mutated.rules = without(manifest.rules, literal);
    base::Result<Score> score = score_with(mutated, recordings);
    if (!score) return in_file(manifest.name + " without \"" + literal.text + "\"", score.error());
    const double fall = percent(agent.whole) - percent(*score);
    agent.mutants.push_back({literal.text, std::move(*score), fall});
  }
  for (const Alteration alteration : kAlterations) {
    base::Result<Score> score = altered_score(manifest, recordings, alteration);
    if (!score) return in_file(manifest.name, score.error());
    const double fall = percent(agent.whole) - percent(*score);
    agent.mutants.push_back({std::string(name(alteration)), std::move(*score), fall, true});
  }
  std::stable_sort(agent.mutants.begin(), agent.mutants.end(),
                   [](const Mutant& a, const Mutant& b) { return a.fall > b.fall; });
  return agent;
}

base::Result<std::vector<Exception>> parse_exceptions(std::string_view json_lines) {
  std::vector<Exception> exceptions;
  size_t number = 0;
  for (const std::string_view line : base::split_lines(json_lines)) {
    ++number;
    if (base::trim(line).empty()) continue;
    base::Result<Exception> exception = parse_exception(line);
    if (!exception) {
      return base::usage_error(fmt::format("line {}: {}", number, exception.error().text));
    }
    exceptions.push_back(std::move(*exception));
  }
  return exceptions;
}

std::vector<std::string> breaches(const MutatedAgent& agent,
                                  const std::vector<Exception>& exceptions) {
  std::vector<std::string> lines;
  size_t excepted = 0;
  for (const Exception& exception : exceptions) {
    if (exception.agent != agent.agent) continue;
    ++excepted;
    const bool known =
        std::any_of(agent.mutants.begin(), agent.mutants.end(),
                    [&](const Mutant& mutant) { return mutant.literal == exception.literal; });
    if (!known) {
      lines.push_back(fmt::format("{}: \"{}\" is an exception but no literal of the manifest",
                                  agent.agent, exception.literal));
    }
  }
  if (excepted > kMostExceptions) {
    lines.push_back(
        fmt::format("{}: {} exceptions, at most {}", agent.agent, excepted, kMostExceptions));
  }
  for (const Mutant& mutant : agent.mutants) {
    const bool allowed =
        std::any_of(exceptions.begin(), exceptions.end(), [&](const Exception& exception) {
          return exception.agent == agent.agent && exception.literal == mutant.literal;
        });
    if (allowed || !breaks(mutant)) continue;
    lines.push_back(fmt::format("{}: without \"{}\" acc_len falls by {:.2f}, {} drops", agent.agent,
                                mutant.literal, mutant.fall, mutant.score.drops));
  }
  return lines;
}

std::string table(const std::vector<MutatedAgent>& agents, size_t count) {
  std::string text = "  fall  acc_len  drops  misses  missed s  f.wait s  without\n";
  for (const MutatedAgent& agent : agents) {
    text += line_of(fmt::format("{} as it is; {} mutants", agent.agent, agent.mutants.size()),
                    agent.whole, "-");
    size_t listed = 0;
    for (const Mutant& mutant : agent.mutants) {
      if (listed == count) break;
      if (!costs(mutant, agent.whole)) continue;
      ++listed;
      text += line_of(fmt::format("  {} {}", agent.agent, mutant.literal), mutant.score,
                      fmt::format("{:.2f}", mutant.fall));
    }
  }
  return text;
}

std::string to_json(const std::vector<MutatedAgent>& agents) {
  Json json = Json::object();
  for (const MutatedAgent& agent : agents) {
    Json& entry = json[agent.agent];
    entry["acc_len"] = percent(agent.whole);
    entry["literals"] = Json::object();
    entry["alterations"] = Json::object();
    for (const Mutant& mutant : agent.mutants) {
      const Score& score = mutant.score;
      Json& list = entry[mutant.altered ? "alterations" : "literals"];
      list[mutant.literal] = {{"fall", mutant.fall},
                              {"drops", score.drops},
                              {"misses", score.misses},
                              {"missed_s", seconds(score.missed.ms)},
                              {"false_wait_s", seconds(score.false_wait.ms)},
                              {"false_idle_long", score.false_idle.lasting}};
    }
  }
  return json.dump(1);
}

}  // namespace orch::accuracy
