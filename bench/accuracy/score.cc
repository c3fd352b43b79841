#include "accuracy/score.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <variant>

namespace orch::accuracy {
namespace {

using Said = std::optional<AgentStatus>;

// A stretch of time with one true status and one said status.
struct Stretch {
  Ms begin = 0, end = 0;
  AgentStatus truth = AgentStatus::kStarting;
  Said said;
  Ms since = 0;  // when it began to be said
};

constexpr size_t index(AgentStatus status) { return static_cast<size_t>(status); }

// Rounds half to even.
int64_t rounded(Ms ms) { return std::llrint(ms); }

// Rounds a sum as it is printed, in seconds with three digits: half a millisecond goes to the side
// on which the double nearest to the seconds lies. The product is exact.
int64_t rounded_sum(Ms ms) { return std::llrint(static_cast<long double>(ms / 1000) * 1000); }

bool busy(AgentStatus status) {
  return status == AgentStatus::kWorking || status == AgentStatus::kWaiting;
}

bool says_done(Said said) {
  return said == AgentStatus::kIdle || said == AgentStatus::kError || said == AgentStatus::kExited;
}

bool right(AgentStatus truth, Said said) {
  return said == truth || (truth == AgentStatus::kError && said == AgentStatus::kIdle);
}

// The first change after `ms`.
Timeline::const_iterator after(const Timeline& timeline, Ms ms) {
  return std::upper_bound(timeline.begin(), timeline.end(), ms,
                          [](Ms time, const Change& change) { return time < change.at; });
}

Said said_at(const Timeline& timeline, Ms ms) {
  const auto next = after(timeline, ms);
  return next == timeline.begin() ? Said() : Said(std::prev(next)->status);
}

std::optional<Ms> exit_of(const Truth& truth) {
  for (const Segment& segment : truth.segments) {
    if (segment.status == AgentStatus::kExited) return segment.begin;
  }
  return std::nullopt;
}

std::vector<Segment> before(const std::vector<Segment>& segments, Ms end) {
  std::vector<Segment> earlier;
  for (const Segment& segment : segments) {
    if (segment.begin < end) earlier.push_back(segment);
  }
  return earlier;
}

std::vector<Stretch> stretches(const std::vector<Segment>& segments, const Timeline& timeline) {
  std::vector<Stretch> all;
  for (const Segment& segment : segments) {
    if (!segment.status) continue;
    auto next = after(timeline, segment.begin);
    for (Ms begin = segment.begin; begin < segment.end;) {
      Stretch stretch{begin, segment.end, *segment.status, std::nullopt, 0};
      if (next != timeline.begin()) {
        stretch.said = std::prev(next)->status;
        stretch.since = std::prev(next)->at;
      }
      if (next != timeline.end()) stretch.end = std::min(stretch.end, (next++)->at);
      begin = stretch.end;
      all.push_back(stretch);
    }
  }
  return all;
}

// The statuses that may be true at `ms`. nullopt before the first marker and from the end on: any.
std::optional<std::vector<AgentStatus>> possible_at(const Truth& truth, Ms ms) {
  const std::vector<Segment>& segments = truth.segments;
  const auto here = std::find_if(segments.begin(), segments.end(), [ms](const Segment& segment) {
    return segment.begin <= ms && ms < segment.end;
  });
  if (here == segments.end()) return std::nullopt;
  std::vector<AgentStatus> possible;
  const auto take = [&possible](const Segment& segment) {
    if (segment.status) possible.push_back(*segment.status);
  };
  take(*here);
  if (!here->status && here != segments.begin()) take(*std::prev(here));
  if (!here->status && std::next(here) != segments.end()) take(*std::next(here));
  return possible;
}

bool may_be_done(const Truth& truth, Ms ms) {
  const auto possible = possible_at(truth, ms);
  return !possible || !std::all_of(possible->begin(), possible->end(), busy);
}

std::vector<Stretch> those_of(const std::vector<Stretch>& stretches,
                              const std::function<bool(const Stretch&)>& wrong) {
  std::vector<Stretch> chosen;
  std::copy_if(stretches.begin(), stretches.end(), std::back_inserter(chosen), wrong);
  return chosen;
}

// Merges stretches of one said status that touch.
std::vector<Stretch> merged(const std::vector<Stretch>& stretches) {
  constexpr Ms kTouching = 1;
  std::vector<Stretch> episodes;
  for (const Stretch& stretch : stretches) {
    if (!episodes.empty() && episodes.back().since == stretch.since &&
        stretch.begin - episodes.back().end < kTouching) {
      episodes.back().end = stretch.end;
    } else {
      episodes.push_back(stretch);
    }
  }
  return episodes;
}

Episodes sum_of(const std::vector<Stretch>& stretches) {
  Episodes sum;
  Ms ms = 0;
  for (const Stretch& stretch : stretches) ms += stretch.end - stretch.begin;
  sum.ms = rounded_sum(ms);
  for (const Stretch& episode : merged(stretches)) {
    ++sum.count;
    if (episode.end - episode.begin >= kLasting) ++sum.lasting;
  }
  return sum;
}

void score_time(const std::vector<Stretch>& stretches, Score& score) {
  std::array<std::array<Ms, kStatusCount + 1>, kStatusCount> confusion{};
  Ms scored = 0;
  for (const Stretch& stretch : stretches) {
    Ms& cell = confusion[index(stretch.truth)][stretch.said ? index(*stretch.said) : kNothing];
    cell = cell + stretch.end - stretch.begin;
    scored += stretch.end - stretch.begin;
    if (stretch.truth != AgentStatus::kStarting && !right(stretch.truth, stretch.said)) {
      score.wrong.push_back(
          {rounded(stretch.begin), rounded(stretch.end), stretch.truth, stretch.said});
    }
  }
  score.scored_ms = rounded_sum(scored);
  for (size_t truth = 0; truth < kStatusCount; ++truth) {
    std::transform(confusion[truth].begin(), confusion[truth].end(), score.confusion[truth].begin(),
                   rounded);
  }
}

void score_episodes(const Truth& truth, const std::vector<Stretch>& stretches, Score& score) {
  const std::vector<Stretch> idle = those_of(stretches, [](const Stretch& stretch) {
    return busy(stretch.truth) && says_done(stretch.said);
  });
  score.false_idle = sum_of(idle);
  for (const Stretch& episode : merged(idle)) {
    if (!may_be_done(truth, episode.since)) ++score.drops;
  }
  score.missed = sum_of(those_of(stretches, [](const Stretch& stretch) {
    return stretch.truth == AgentStatus::kWaiting && stretch.said == AgentStatus::kWorking;
  }));
  score.false_wait = sum_of(those_of(stretches, [](const Stretch& stretch) {
    return stretch.truth != AgentStatus::kWaiting && stretch.said == AgentStatus::kWaiting;
  }));
}

// When, in [from, to], a status that is right for `truth` is first said.
std::optional<Ms> first_right(const Timeline& timeline, AgentStatus truth, Ms from, Ms to) {
  if (right(truth, said_at(timeline, from))) return from;
  for (auto change = after(timeline, from); change != timeline.end(); ++change) {
    if (change->at > to) break;
    if (right(truth, change->status)) return change->at;
  }
  return std::nullopt;
}

// A status may be true from the start of the unsure segment before it to the end of the one after
// it.
void score_latency(const std::vector<Segment>& segments, const Timeline& timeline, Score& score) {
  std::optional<AgentStatus> last;
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    if (!segment.status) continue;
    const bool changed = last && last != segment.status;
    last = segment.status;
    if (!changed || segment.status == AgentStatus::kStarting) continue;
    const Ms from = i > 0 && !segments[i - 1].status ? segments[i - 1].begin : segment.begin;
    const bool unsure_after = i + 1 < segments.size() && !segments[i + 1].status;
    const Ms to = unsure_after ? segments[i + 1].end : segment.end;
    ++score.changes;
    if (const auto said = first_right(timeline, *segment.status, from, to)) {
      score.latency_ms[index(*segment.status)].push_back(rounded(*said - from));
    } else {
      ++(segment.end - segment.begin < kLasting ? score.short_misses : score.misses);
    }
  }
}

// Counts changes to a status that could not be true. The first change does not count: something has
// to be said at the start.
int spurious_changes(const Truth& truth, const Timeline& timeline, Ms stop) {
  int spurious = 0;
  for (size_t i = 1; i < timeline.size() && timeline[i].at < stop; ++i) {
    const auto possible = possible_at(truth, timeline[i].at);
    if (!possible) continue;
    const bool fits = std::any_of(possible->begin(), possible->end(), [&](AgentStatus status) {
      return status == AgentStatus::kStarting || right(status, timeline[i].status);
    });
    if (!fits) ++spurious;
  }
  return spurious;
}

bool says_exited_by(const Timeline& timeline, Ms limit) {
  return std::any_of(timeline.begin(), timeline.end(), [limit](const Change& change) {
    return change.status == AgentStatus::kExited && change.at <= limit;
  });
}

void add(Episodes& sum, const Episodes& episodes) {
  sum.ms += episodes.ms;
  sum.count += episodes.count;
  sum.lasting += episodes.lasting;
}

// The parts of a share; if `whole` is 0 there is none.
struct Share {
  int64_t part = 0, whole = 0;
  std::optional<double> value() const {
    if (whole == 0) return std::nullopt;
    return static_cast<double>(part) / static_cast<double>(whole);
  }
};

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Timeline timeline_of(const std::vector<session::ReplayedEvent>& events) {
  Timeline timeline;
  for (const session::ReplayedEvent& replayed : events) {
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    if (change == nullptr) continue;
    const Change next{static_cast<Ms>(replayed.ms), change->status};
    if (!timeline.empty() && timeline.back().at == next.at) timeline.pop_back();
    if (timeline.empty() || timeline.back().status != next.status) timeline.push_back(next);
  }
  return timeline;
}

Score score(const Truth& truth, const Timeline& timeline) {
  Score score;
  score.recordings = 1;
  const std::optional<Ms> exit = exit_of(truth);
  const Ms stop = exit.value_or(truth.end);
  const std::vector<Segment> segments = before(truth.segments, stop);
  const std::vector<Stretch> judged = stretches(segments, timeline);
  score_time(judged, score);
  score_episodes(truth, judged, score);
  score_latency(segments, timeline, score);
  score.spurious = spurious_changes(truth, timeline, stop);
  score.exits = exit ? 1 : 0;
  score.exits_seen = exit && says_exited_by(timeline, *exit + kExitGrace) ? 1 : 0;
  return score;
}

void add(Score& sum, const Score& score) {
  sum.recordings += score.recordings;
  sum.scored_ms += score.scored_ms;
  for (size_t truth = 0; truth < kStatusCount; ++truth) {
    for (size_t said = 0; said <= kNothing; ++said) {
      sum.confusion[truth][said] += score.confusion[truth][said];
    }
    sum.latency_ms[truth].insert(sum.latency_ms[truth].end(), score.latency_ms[truth].begin(),
                                 score.latency_ms[truth].end());
  }
  add(sum.false_idle, score.false_idle);
  sum.drops += score.drops;
  add(sum.missed, score.missed);
  add(sum.false_wait, score.false_wait);
  sum.changes += score.changes;
  sum.misses += score.misses;
  sum.short_misses += score.short_misses;
  sum.spurious += score.spurious;
  sum.exits += score.exits;
  sum.exits_seen += score.exits_seen;
}

Rates rates(const Confusion& confusion) {
  constexpr size_t kStarting = index(AgentStatus::kStarting);
  constexpr size_t kError = index(AgentStatus::kError);
  Share strict, lenient;
  std::vector<double> strict_shares, lenient_shares;
  for (size_t truth = 0; truth < kStatusCount; ++truth) {
    const auto& said = confusion[truth];
    const int64_t whole = std::accumulate(said.begin(), said.end(), int64_t{0});
    if (whole == 0) continue;
    const int64_t idle_too = truth == kError ? said[index(AgentStatus::kIdle)] : 0;
    strict = {strict.part + said[truth], strict.whole + whole};
    strict_shares.push_back(*Share{said[truth], whole}.value());
    if (truth == kStarting) continue;
    lenient = {lenient.part + said[truth] + idle_too, lenient.whole + whole};
    lenient_shares.push_back(*Share{said[truth] + idle_too, whole}.value());
  }
  return {strict.value(), lenient.value(), mean(strict_shares), mean(lenient_shares)};
}

std::optional<int64_t> percentile(std::vector<int64_t> values, size_t percent) {
  if (values.empty()) return std::nullopt;
  const size_t rank = (values.size() * percent + 99) / 100;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace orch::accuracy
