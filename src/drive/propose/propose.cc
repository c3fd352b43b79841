#include "propose/propose.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/json.h"

namespace orch::propose {
namespace {

using base::Json;
using event::AgentStatus;

// The rules for any agent have priorities from 5 to 100: a dialog above 85, work from 77 to 80, an
// error at 76, rest below.
struct Place {
  AgentStatus status;
  int priority;
};
constexpr std::array<Place, 4> kPlaces{{{AgentStatus::kWaiting, 110},
                                        {AgentStatus::kWorking, 82},
                                        {AgentStatus::kError, 77},
                                        {AgentStatus::kIdle, 76}}};
// The status is expected this long after the screen stood still: idle and error need 150 ms
// (DetectTiming), and a user sees a second.
constexpr int64_t kSoonMs = 500;
constexpr size_t kMostSamples = 60;  // of work: a long turn says no more than a short one

size_t count_of(AgentStatus status, const std::vector<Example>& examples) {
  return static_cast<size_t>(std::ranges::count(examples, status, &Example::status));
}

std::string evidence(AgentStatus status, const std::vector<Trait>& traits,
                     const std::vector<Example>& examples) {
  int seen = 0;
  for (const Trait& trait : traits) seen += trait.seen;
  const size_t of = count_of(status, examples);
  return "on " + std::to_string(seen) + " of " + std::to_string(of) + " screens of this status, " +
         "on none of " + std::to_string(examples.size() - of) + " others";
}

Json rule_of(const Place& place, const std::vector<Trait>& traits,
             const std::vector<Example>& examples) {
  Json any = Json::array();
  for (const Trait& trait : traits) {
    any.push_back({{"in", "bottom:" + std::to_string(trait.rows)}, {"match", trait.pattern}});
  }
  Json rule{{"id", "learned-" + std::string(event::name(place.status))},
            {"about", evidence(place.status, traits, examples)},
            {"status", std::string(event::name(place.status))}};
  if (place.status == AgentStatus::kWaiting) rule["cause"] = "permission";
  if (place.status == AgentStatus::kError) rule["cause"] = "api";
  rule["priority"] = place.priority;
  rule["when"] = Json::array({Json{{"any", std::move(any)}}});
  // What stays on the screen when the work is done does not move.
  if (place.status == AgentStatus::kWorking) {
    rule["when"].push_back({{"in", "screen"}, {"moved", 5'000}, {"digits", true}});
  }
  if (place.status == AgentStatus::kIdle) {
    rule["when"].push_back({{"in", "screen"}, {"still", 150}, {"colors", true}});
  }
  return rule;
}

// The manifest for any agent, as the subject's own and with further rules before its rules.
std::string text_of(const Json& for_any, const Subject& subject, const Json& further) {
  Json manifest{{"manifest", 1}, {"name", subject.name}, {"title", subject.name}};
  manifest["about"] =
      "Proposed by orch agents new. The statuses are guesses (guessed) until somebody who knows "
      "the agent has looked at the rules; docs/manifest.md.";
  manifest["program"] = subject.program;
  for (const auto& [key, value] : for_any.items()) {
    if (!manifest.contains(key)) manifest[key] = value;
  }
  Json rules = further;
  for (const Json& rule : for_any["rules"]) rules.push_back(rule);
  manifest["rules"] = std::move(rules);
  return base::json_text(manifest);
}

}  // namespace

std::vector<Example> examples_of(const std::vector<Moment>& moments, const Answers& answers) {
  std::vector<Example> examples;
  std::vector<const Moment*> work;
  int answered_enters = 0;  // Enters before the last rest that was answered
  for (size_t i = 0; i < moments.size(); ++i) {
    const Moment& moment = moments[i];
    if (!moment.rests) {
      if (moment.enters > answered_enters) work.push_back(&moment);
    } else if (i < answers.size() && answers[i]) {
      if (*answers[i] == AgentStatus::kWorking) {
        work.push_back(&moment);
        continue;
      }
      answered_enters = moment.enters;
      examples.push_back({moment.ms - kRestMs + kSoonMs, *answers[i], moment.rows});
    }
  }
  const size_t step = work.size() / kMostSamples + 1;
  for (size_t i = 0; i < work.size(); i += step) {
    examples.push_back({work[i]->ms, AgentStatus::kWorking, work[i]->rows});
  }
  return examples;
}

size_t agreed(const std::vector<Said>& said, const std::vector<Example>& examples) {
  return static_cast<size_t>(std::ranges::count_if(examples, [&](const Example& example) {
    const auto after = std::ranges::upper_bound(said, example.ms, {}, &Said::ms);
    return after != said.begin() && std::prev(after)->status == example.status;
  }));
}

std::string manifest_text(const std::string& generic, const Subject& subject,
                          const std::vector<Example>& examples, const Measure& measure) {
  const Json for_any = base::parse_json(generic);
  Json learned = Json::array();
  std::string best = text_of(for_any, subject, learned);
  size_t most = measure(best);
  for (const Place& place : kPlaces) {
    const std::vector<Trait> traits = traits_of(place.status, examples);
    if (traits.empty()) continue;
    Json more = learned;
    more.push_back(rule_of(place, traits, examples));
    std::string text = text_of(for_any, subject, more);
    const size_t right = measure(text);
    if (right <= most) continue;
    learned = std::move(more);
    best = std::move(text);
    most = right;
  }
  return best;
}

}  // namespace orch::propose
