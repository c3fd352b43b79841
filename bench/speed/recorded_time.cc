#include "speed/recorded_time.h"

#include <algorithm>
#include <functional>

#include "base/pattern.h"
#include "detect/detector.h"
#include "speed/contenders.h"
#include "speed/figures.h"
#include "term/screen.h"

namespace orch::speed {
namespace {

using store::Cast;
using store::CastEvent;
using store::CastKind;

term::Size size_of(const Cast& cast) { return {cast.header.cols, cast.header.rows}; }

// Calls `on_event(ms, event)` for each event, and `on_time(ms)` before each event and at the end.
template <class OnEvent, class OnTime>
void play(const Cast& cast, OnEvent on_event, OnTime on_time) {
  for (const CastEvent& event : cast.events) {
    on_time(event.us / 1000);
    on_event(event.us / 1000, event);
  }
  on_time(cast.end_us / 1000 + 1);
}

void feed(term::Screen& screen, const CastEvent& event) {
  if (event.kind == CastKind::kOutput) screen.feed(event.data);
  if (event.kind != CastKind::kResize) return;
  if (const auto size = store::parse_cast_size(event.data)) screen.resize({size->cols, size->rows});
}

void follow_screen(const Cast& cast) {
  term::Screen screen(size_of(cast));
  play(
      cast, [&](int64_t, const CastEvent& event) { feed(screen, event); }, [](int64_t) {});
}

void follow_detecting(const Cast& cast, const detect::RuleSet& rules, RecordedTime& counts) {
  term::Screen screen(size_of(cast));
  detect::Detector detector(rules, 0);
  play(
      cast,
      [&](int64_t ms, const CastEvent& event) {
        feed(screen, event);
        if (event.kind == CastKind::kOutput) detector.on_output(ms, screen);
        if (event.kind == CastKind::kInput) detector.on_input(ms, event.data);
        if (event.kind == CastKind::kResize) detector.on_resize(ms);
      },
      [&](int64_t ms) {
        while (detector.next_deadline() < ms) {
          static_cast<void>(detector.on_timer(detector.next_deadline(), screen));
        }
      });
  counts.samples += detector.counters().samples;
  counts.fast_exits += detector.counters().fast_exits;
  counts.evaluations += detector.counters().evaluations;
  counts.rows_examined += detector.rows().examined();
  counts.rows_searched += detector.rows().searched();
}

// Follows the output the way many tools do it, without a screen.
void follow_by_habit(const Cast& cast, const base::Pattern& words) {
  constexpr size_t kKept = 8192;
  constexpr int64_t kEvery = 500;
  std::string last, scratch;
  int64_t next = kEvery;
  size_t matches = 0;
  play(
      cast,
      [&](int64_t, const CastEvent& event) {
        if (event.kind != CastKind::kOutput) return;
        last += event.data;
        if (last.size() > kKept) last.erase(0, last.size() - kKept);
      },
      [&](int64_t ms) {
        for (; next < ms; next += kEvery) matches += words.matches(strip(last, scratch)) ? 1 : 0;
      });
}

}  // namespace

RecordedTime follow(const AgentRecordings& recordings, const detect::RuleSet& rules, int rounds) {
  static const base::Result<base::Pattern> kWords = base::Pattern::compile(
      R"(esc to (interrupt|cancel)|Do you want|Allow|Press enter|❯ 1\.|\(y/n\)|Thinking|Working)");
  RecordedTime result;
  result.agent = recordings.agent;
  result.patterns = rules.rows.size();
  std::vector<std::vector<double>> seconds(3);
  for (int round = 0; round < rounds; ++round) {
    RecordedTime counts;
    const std::function<void(const Cast&)> ways[] = {
        follow_screen, [&](const Cast& cast) { follow_detecting(cast, rules, counts); },
        [](const Cast& cast) { follow_by_habit(cast, *kWords); }};
    for (size_t i = 0; i < std::size(ways); ++i) {
      const double start = thread_seconds();
      for (const Cast& cast : recordings.casts) ways[i](cast);
      seconds[i].push_back(thread_seconds() - start);
    }
    result.samples = counts.samples;
    result.fast_exits = counts.fast_exits;
    result.evaluations = counts.evaluations;
    result.rows_examined = counts.rows_examined;
    result.rows_searched = counts.rows_searched;
  }
  for (const Cast& cast : recordings.casts) {
    result.recorded_s += static_cast<double>(cast.end_us) / 1e6;
    for (const CastEvent& event : cast.events) {
      if (event.kind == CastKind::kOutput) result.bytes += static_cast<double>(event.data.size());
    }
  }
  result.screen_s = median(seconds[0]);
  result.detect_s = median(seconds[1]);
  result.habit_s = median(seconds[2]);
  return result;
}

}  // namespace orch::speed
