// What a proposal is worth: each agent of tests/recordings is described anew, by the rests of its
// recordings and the answers of a user who knows what was true.

#include "propose/propose.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <map>

#include "accuracy/recordings.h"
#include "adapters/embedded.h"
#include "setup/recordings.h"

namespace orch::accuracy {
namespace {

std::string generic_text() {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    if (embedded.name == "generic") return std::string(embedded.text);
  }
  return "";
}

// A user answers where the truth is known, and is no work: then the agent works on.
propose::Answers answers_of(const std::vector<propose::Moment>& moments, const Truth& truth) {
  propose::Answers answers(moments.size());
  for (size_t i = 0; i < moments.size(); ++i) {
    for (const Segment& segment : truth.segments) {
      const auto ms = static_cast<Ms>(moments[i].ms);
      if (!moments[i].rests || ms < segment.begin || ms >= segment.end || !segment.status) continue;
      const bool can_say = *segment.status != AgentStatus::kStarting &&
                           *segment.status != AgentStatus::kExited &&
                           *segment.status != AgentStatus::kWorking;
      if (can_say) answers[i] = segment.status;
    }
  }
  return answers;
}

struct Session {
  Recording recording;
  std::vector<propose::Example> examples;
};

std::map<std::string, std::vector<Session>> sessions() {
  const auto files =
      find_recordings({.folder = ORCH_RECORDINGS, .ignore = {}, .exclude = {}, .agents = {}})
          .value();
  std::map<std::string, std::vector<Session>> all;
  for (const RecordingFile& file : files) {
    Recording recording = read_recording(file, {}).value();
    const auto moments = setup::moments_of(file.path).value();
    auto examples = propose::examples_of(moments, answers_of(moments, recording.truth));
    all[file.agent].push_back({std::move(recording), std::move(examples)});
  }
  return all;
}

Score score_by(const std::string& text, const Recording& recording) {
  const adapters::Manifest manifest = adapters::parse_manifest(text, "mine.json").value();
  return score_of(recording, manifest, detect::RuleSet::compile(manifest.rules).value());
}

size_t agreed(const std::string& text, const Session& session) {
  const adapters::Manifest manifest = adapters::parse_manifest(text, "mine.json").value();
  const detect::RuleSet rules = detect::RuleSet::compile(manifest.rules).value();
  std::vector<propose::Said> said;
  for (const Change& change :
       timeline_of(session::Replay(session.recording.cast, manifest, rules).run())) {
    said.push_back({static_cast<int64_t>(change.at), change.status});
  }
  return propose::agreed(said, session.examples);
}

// The proposal by all sessions but one; nullptr: by all.
std::string proposal_without(const std::string& agent, const std::vector<Session>& sessions,
                             const Session* one) {
  std::vector<propose::Example> examples;
  for (const Session& session : sessions) {
    if (&session == one) continue;
    examples.insert(examples.end(), session.examples.begin(), session.examples.end());
  }
  const auto measure = [&](const std::string& text) {
    size_t sum = 0;
    for (const Session& session : sessions) sum += &session == one ? 0 : agreed(text, session);
    return sum;
  };
  return propose::manifest_text(generic_text(), {agent, {agent}}, examples, measure);
}

double percent(const Score& sum) { return 100 * rates(sum.confusion).acc_len.value_or(0); }

}  // namespace

TEST_CASE("a proposal is no worse than the rules for any agent that it begins with") {
  const std::string generic = generic_text();
  std::printf("%-10s %10s %8s %8s\n", "agent", "recordings", "generic", "own");
  for (const auto& [agent, all] : sessions()) {
    const std::string own = proposal_without(agent, all, nullptr);
    Score by_generic, by_own;
    for (const Session& session : all) {
      add(by_generic, score_by(generic, session.recording));
      add(by_own, score_by(own, session.recording));
    }
    std::printf("%-10s %10zu %8.1f %8.1f\n", agent.c_str(), all.size(), percent(by_generic),
                percent(by_own));
    INFO(agent);
    CHECK(percent(by_own) >= percent(by_generic));
    CHECK(by_own.drops <= by_generic.drops);
  }
}

TEST_CASE("what the other recordings of an agent propose", "[.others]") {
  for (const auto& [agent, all] : sessions()) {
    if (all.size() == 1) continue;
    Score by_others;
    for (const Session& session : all) {
      add(by_others, score_by(proposal_without(agent, all, &session), session.recording));
    }
    std::printf("%-10s %10zu %8.1f\n", agent.c_str(), all.size(), percent(by_others));
  }
}

}  // namespace orch::accuracy
