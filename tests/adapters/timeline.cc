#include "timeline.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "detect/detector.h"
#include "term/screen.h"

namespace orch::adapters {
namespace {

using base::TimeMs;
using event::AgentStatus;

constexpr std::string_view kStateMarker = "state=";

TimeMs end_of(const store::Cast& cast) { return (cast.end_us + 999) / 1000; }

bool is_busy(AgentStatus status) {
  return status == AgentStatus::kWorking || status == AgentStatus::kWaiting;
}

// Feeds a recording to a screen and a detector and keeps the stretches between status changes.
class Player {
 public:
  Player(const detect::RuleSet& rules, term::Size size) : screen_(size), detector_(rules, 0) {}

  void play(const store::CastEvent& event) {
    const TimeMs now = event.us / 1000;
    run_timers(now);
    switch (event.kind) {
      case store::CastKind::kOutput:
        screen_.feed(event.data);
        screen_.take_replies();
        return detector_.on_output(now, screen_);
      case store::CastKind::kInput:
        return detector_.on_input(now, event.data);
      case store::CastKind::kResize:
        if (const auto size = store::parse_cast_size(event.data)) {
          screen_.resize({size->cols, size->rows});
          detector_.on_resize(now);
        }
        return;
      case store::CastKind::kMarker:
      case store::CastKind::kExit:
        return;
    }
  }

  // Timers due before `until`: what arrives at the same moment is seen first.
  void run_timers(TimeMs until) {
    for (TimeMs due = detector_.next_deadline(); due < until; due = detector_.next_deadline()) {
      const AgentStatus before = detector_.status();
      if (!detector_.on_timer(due, screen_) || detector_.status() == before) continue;
      spans_.push_back({begin_, due, before});
      begin_ = due;
    }
  }

  std::vector<Span> finish(TimeMs end) {
    run_timers(end);
    spans_.push_back({begin_, end, detector_.status()});
    return spans_;
  }

 private:
  term::Screen screen_;
  detect::Detector detector_;
  std::vector<Span> spans_;
  TimeMs begin_ = 0;
};

}  // namespace

std::vector<Span> truth_of(const store::Cast& cast) {
  std::vector<Span> spans;
  const auto close = [&spans](TimeMs at) {
    if (!spans.empty() && spans.back().end == 0) spans.back().end = at;
  };
  for (const store::CastEvent& event : cast.events) {
    std::string_view state = event.data;
    if (event.kind != store::CastKind::kMarker || !state.starts_with(kStateMarker)) continue;
    state.remove_prefix(kStateMarker.size());
    close(event.us / 1000);
    const auto status = event::status_named(state.substr(0, state.find('/')));
    if (status == AgentStatus::kExited) break;
    if (status) spans.push_back({event.us / 1000, 0, *status});
  }
  close(end_of(cast));
  return spans;
}

std::vector<Span> statuses_of(const store::Cast& cast, const Manifest& manifest) {
  const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  Player player(rules.value(), {cast.header.cols, cast.header.rows});
  for (const store::CastEvent& event : cast.events) player.play(event);
  return player.finish(end_of(cast));
}

Score score(const std::vector<Span>& truth, const std::vector<Span>& said) {
  Score score;
  for (const Span& fact : truth) {
    score.judged += fact.end - fact.begin;
    for (const Span& claim : said) {
      const int64_t begin = std::max(fact.begin, claim.begin);
      const int64_t overlap = std::min(fact.end, claim.end) - begin;
      if (overlap <= 0) continue;
      if (claim.status == fact.status) {
        score.right += overlap;
        continue;
      }
      if (is_busy(fact.status) && event::accepts_input(claim.status)) {
        score.false_idle = std::max(score.false_idle, overlap);
      }
      score.wrong += std::to_string(begin) + " ms: " + std::string(event::name(claim.status)) +
                     " for " + std::to_string(overlap) + " ms, is " +
                     std::string(event::name(fact.status)) + "\n";
    }
  }
  return score;
}

}  // namespace orch::adapters
