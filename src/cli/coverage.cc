#include "cli/coverage.h"

#include <cstdio>
#include <map>
#include <utility>

#include "base/text.h"
#include "setup/recordings.h"

namespace orch::cli {
namespace {

double seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

// The part that each rule of a manifest has in the statuses of recordings.
class Coverage {
 public:
  explicit Coverage(const adapters::Manifest& manifest) : manifest_(manifest) {}

  void take(const session::ReplayedEvent& replayed) {
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    if (change == nullptr) return;
    pass_to(replayed.ms);
    const bool ruled = change->status == event::AgentStatus::kStarting ||
                       change->status == event::AgentStatus::kExited || !change->rule.empty();
    without_since_ = ruled ? -1 : replayed.ms;
    ++decided_[change->rule];
  }
  // Ends a recording, and returns how long none of the rules decided, in milliseconds.
  int64_t end(int64_t ms) {
    pass_to(ms);
    without_since_ = -1;
    all_ += ms;
    without_ += recording_without_;
    return std::exchange(recording_without_, 0);
  }
  void print() const {
    std::printf("%-24s %s\n", "RULE", "DECIDED");
    for (const detect::RuleSpec& rule : manifest_.rules.rules) {
      const auto times = decided_.find(manifest_.rules.agent + "/" + rule.id);
      std::printf("%-24s %s\n", base::printable(rule.id).c_str(),
                  times == decided_.end() ? "never" : std::to_string(times->second).c_str());
    }
    std::printf("without a rule: %.1f s of %.1f s\n", seconds(without_), seconds(all_));
  }

 private:
  void pass_to(int64_t ms) {
    if (without_since_ >= 0) recording_without_ += ms - without_since_;
  }

  const adapters::Manifest& manifest_;
  std::map<std::string, int> decided_;
  int64_t without_since_ = -1;  // -1: a rule has decided, or none has to
  int64_t recording_without_ = 0, without_ = 0, all_ = 0;
};

// Prints the statuses that the rules find in a recording, if it is the only one; of several, the
// time that no rule decided.
base::Status cover(const std::string& recording, const adapters::Manifest& manifest,
                   const detect::RuleSet& rules, bool only, Coverage& coverage) {
  base::Result<store::CastReader> cast = setup::open_recording(recording);
  if (!cast) return cast.error();
  session::Replay replay(*cast, manifest, rules);
  replay.run([&](const session::ReplayedEvent& replayed) {
    if (only) setup::print_status(replayed);
    coverage.take(replayed);
  });
  const int64_t without = coverage.end(replay.now_ms());
  if (!only) {
    std::printf("%s: without a rule: %.1f s of %.1f s\n", base::printable(recording).c_str(),
                seconds(without), seconds(replay.now_ms()));
  }
  return cast->trouble();
}

}  // namespace

base::Status print_coverage(const std::vector<std::string>& recordings,
                            const adapters::Manifest& manifest) {
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) return rules.error();
  Coverage coverage(manifest);
  for (const std::string& recording : recordings) {
    base::Status whole = cover(recording, manifest, *rules, recordings.size() == 1, coverage);
    if (!whole) return whole;
  }
  coverage.print();
  return base::Ok{};
}

}  // namespace orch::cli
