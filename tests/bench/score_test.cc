// Every metric, on truths and timelines whose result follows from the definition.

#include "accuracy/score.h"

#include <catch2/catch.hpp>

namespace orch::accuracy {
namespace {

using enum event::AgentStatus;
using Latencies = std::vector<int64_t>;

constexpr std::optional<AgentStatus> kUnsure;

struct Mark {
  Ms at;
  std::optional<AgentStatus> status;
};

Truth truth_until(Ms end, const std::vector<Mark>& marks) {
  Truth truth{{}, end};
  for (size_t i = 0; i < marks.size(); ++i) {
    const Ms next = i + 1 < marks.size() ? marks[i + 1].at : end;
    truth.segments.push_back({marks[i].at, next, marks[i].status});
  }
  return truth;
}

// A turn from 2 s to 8 s, without unsure time.
Truth turn() { return truth_until(10'000, {{0, kIdle}, {2000, kWorking}, {8000, kIdle}}); }

Latencies latencies(const Score& score, AgentStatus status) {
  return score.latency_ms[static_cast<size_t>(status)];
}

int64_t confused(const Score& score, AgentStatus truth, AgentStatus said) {
  return score.confusion[static_cast<size_t>(truth)][static_cast<size_t>(said)];
}

session::ReplayedEvent said(int64_t ms, AgentStatus status) {
  event::StatusChange change;
  change.status = status;
  return {ms, change};
}

}  // namespace

TEST_CASE("A timeline has one change per status and moment, and only statuses") {
  const Timeline timeline = timeline_of({said(0, kStarting),
                                         said(100, kIdle),
                                         said(100, kWorking),
                                         {150, event::Output{"text"}},
                                         said(200, kWorking),
                                         said(300, kIdle),
                                         said(300, kWorking),
                                         said(400, kIdle)});
  CHECK(timeline == Timeline{{0, kStarting}, {100, kWorking}, {400, kIdle}});
}

TEST_CASE("What is said in time is right, at no cost") {
  const Score result = score(turn(), {{0, kIdle}, {2000, kWorking}, {8000, kIdle}});
  CHECK(result.recordings == 1);
  CHECK(result.scored_ms == 10'000);
  CHECK(rates(result.confusion).acc == 1.0);
  CHECK(rates(result.confusion).acc_len == 1.0);
  CHECK(result.false_idle.count + result.missed.count + result.false_wait.count == 0);
  CHECK(result.changes == 2);
  CHECK(latencies(result, kWorking) == Latencies{0});
  CHECK(latencies(result, kIdle) == Latencies{0});
  CHECK(result.misses + result.short_misses + result.spurious == 0);
  CHECK(result.wrong.empty());
}

TEST_CASE("Accuracy is a share of time; unsure time and what nobody said count accordingly") {
  const Truth truth = truth_until(10'000, {{0, kIdle}, {4000, kUnsure}, {6000, kWorking}});
  const Score result = score(truth, {{1000, kIdle}, {5000, kWorking}, {9000, kIdle}});
  CHECK(result.scored_ms == 8000);
  CHECK(confused(result, kIdle, kIdle) == 3000);
  CHECK(result.confusion[static_cast<size_t>(kIdle)][kNothing] == 1000);
  CHECK(confused(result, kWorking, kWorking) == 3000);
  CHECK(confused(result, kWorking, kIdle) == 1000);
  CHECK(*rates(result.confusion).acc == Approx(6.0 / 8));
  CHECK(result.wrong == std::vector<Wrong>{{0, 1000, kIdle, {}}, {9000, 10'000, kWorking, kIdle}});
}

TEST_CASE("The balanced rates weigh every true status alike") {
  const Truth truth = truth_until(10'000, {{0, kWorking}, {8000, kIdle}});
  const Rates shares = rates(score(truth, {{0, kWorking}, {9000, kIdle}}).confusion);
  CHECK(*shares.acc == Approx(0.9));
  CHECK(*shares.bal_acc == Approx((1 + 0.5) / 2));
  CHECK(*shares.bal_len == Approx((1 + 0.5) / 2));
}

TEST_CASE("Without scored time there are no rates") {
  const Score result = score(truth_until(1000, {}), {{0, kIdle}});
  CHECK(result.scored_ms == 0);
  CHECK_FALSE(rates(result.confusion).acc);
  CHECK_FALSE(rates(result.confusion).bal_len);
}

TEST_CASE("Idle said for an error is leniently right, an error said for idle is not") {
  const Truth error = truth_until(4000, {{0, kWorking}, {2000, kError}});
  const Score idle = score(error, {{0, kWorking}, {2000, kIdle}});
  CHECK(*rates(idle.confusion).acc == Approx(0.5));
  CHECK(*rates(idle.confusion).acc_len == Approx(1.0));
  CHECK(*rates(idle.confusion).bal_acc == Approx(0.5));
  CHECK(*rates(idle.confusion).bal_len == Approx(1.0));
  CHECK(idle.spurious == 0);
  CHECK(latencies(idle, kError) == Latencies{0});
  CHECK(idle.wrong.empty());

  const Truth done = truth_until(4000, {{0, kWorking}, {2000, kIdle}});
  const Score failed = score(done, {{0, kWorking}, {2000, kError}});
  CHECK(*rates(failed.confusion).acc_len == Approx(0.5));
  CHECK(failed.spurious == 1);
  CHECK(failed.misses == 1);
}

TEST_CASE("Starting counts in the strict rates only") {
  const Truth truth = truth_until(4000, {{0, kStarting}, {1000, kIdle}});
  const Score result = score(truth, {{0, kWorking}, {500, kIdle}});
  const Rates shares = rates(result.confusion);
  CHECK(*shares.acc == Approx(0.75));
  CHECK(*shares.acc_len == Approx(1.0));
  CHECK(*shares.bal_acc == Approx(0.5));
  CHECK(*shares.bal_len == Approx(1.0));
  CHECK(result.spurious == 0);
  CHECK(result.wrong.empty());
}

TEST_CASE("Idle said out of nowhere in a turn is a drop") {
  const Score result =
      score(turn(), {{0, kIdle}, {2000, kWorking}, {4000, kIdle}, {4300, kWorking}, {8000, kIdle}});
  CHECK(result.false_idle.ms == 300);
  CHECK(result.false_idle.count == 1);
  CHECK(result.false_idle.lasting == 0);
  CHECK(result.drops == 1);
  CHECK(result.spurious == 1);
}

TEST_CASE("An error or an exit that is not there is a drop like idle") {
  for (const AgentStatus status : {kError, kExited}) {
    const Score result = score(
        turn(), {{0, kIdle}, {2000, kWorking}, {4000, status}, {4300, kWorking}, {8000, kIdle}});
    CHECK(result.false_idle.count == 1);
    CHECK(result.drops == 1);
  }
}

TEST_CASE("Idle said too long or, in the unsure time before it, too early is no drop") {
  const Score late = score(turn(), {{0, kIdle}, {2400, kWorking}, {8000, kIdle}});
  CHECK(late.false_idle.ms == 400);
  CHECK(late.drops == 0);

  const Truth truth =
      truth_until(9000, {{0, kWorking}, {4000, kUnsure}, {5000, kIdle}, {6000, kWorking}});
  const Score early = score(truth, {{0, kWorking}, {4500, kIdle}});
  CHECK(early.false_idle.ms == 3000);
  CHECK(early.drops == 0);
}

TEST_CASE("Idle said in unsure time between working and a dialog is a drop once it is scored") {
  const Truth truth = truth_until(9000, {{0, kWorking}, {4000, kUnsure}, {5000, kWaiting}});
  const Score result = score(truth, {{0, kWorking}, {4500, kIdle}, {5200, kWaiting}});
  CHECK(result.false_idle.ms == 200);
  CHECK(result.drops == 1);
  CHECK(result.spurious == 1);
  CHECK(score(truth, {{0, kWorking}, {4500, kIdle}, {5000, kWaiting}}).drops == 0);
}

TEST_CASE("A false idle of a second is counted as one that lasts") {
  const auto with = [](Ms end) {
    return score(turn(),
                 {{0, kIdle}, {2000, kWorking}, {4000, kIdle}, {end, kWorking}, {8000, kIdle}});
  };
  CHECK(with(4999).false_idle.lasting == 0);
  CHECK(with(5000).false_idle.lasting == 1);
}

TEST_CASE("An episode goes on over a change of the truth and ends where the truth is unsure") {
  const Truth joined = truth_until(9000, {{0, kWorking}, {4000, kWaiting}, {6000, kWorking}});
  const Score one = score(joined, {{0, kWorking}, {3400, kIdle}, {4600, kWaiting}});
  CHECK(one.false_idle.ms == 1200);
  CHECK(one.false_idle.count == 1);
  CHECK(one.false_idle.lasting == 1);

  const Truth parted = truth_until(9000, {{0, kWorking}, {4000, kUnsure}, {5000, kWaiting}});
  const Score two = score(parted, {{0, kWorking}, {3400, kIdle}, {5600, kWaiting}});
  CHECK(two.false_idle.ms == 1200);
  CHECK(two.false_idle.count == 2);
  CHECK(two.false_idle.lasting == 0);
}

TEST_CASE("Missed is working said over a dialog, false waiting a dialog said over anything else") {
  const Truth truth = truth_until(9000, {{0, kWorking}, {3000, kWaiting}, {6000, kWorking}});
  const Score result = score(truth, {{0, kWorking}, {3700, kWaiting}, {6300, kWorking}});
  CHECK(result.missed.ms == 700);
  CHECK(result.missed.count == 1);
  CHECK(result.false_wait.ms == 300);
  CHECK(result.false_wait.count == 1);
  CHECK(result.false_idle.count == 0);

  const Score starting = score(truth_until(2000, {{0, kStarting}}), {{0, kWaiting}});
  CHECK(starting.false_wait.ms == 2000);
}

TEST_CASE("Latency counts from where the new status may first be true") {
  const Truth truth = truth_until(9000, {{0, kIdle}, {2000, kUnsure}, {3000, kWorking}});
  const auto latency = [&truth](Ms at) {
    return latencies(score(truth, {{0, kIdle}, {at, kWorking}}), kWorking);
  };
  CHECK(latency(1500) == Latencies{0});
  CHECK(latency(2000) == Latencies{0});
  CHECK(latency(2600) == Latencies{600});
  CHECK(latency(3400) == Latencies{1400});
}

TEST_CASE("A status is not missed until the unsure time after it is over") {
  const Truth truth = truth_until(
      9000, {{0, kIdle}, {2000, kWorking}, {4000, kUnsure}, {5000, kIdle}, {8000, kUnsure}});
  const auto with = [&truth](Ms at) {
    return score(truth, {{0, kIdle}, {at, kWorking}, {at + 1, kIdle}});
  };
  CHECK(latencies(with(5000), kWorking) == Latencies{3000});
  CHECK(with(5000).misses == 0);
  CHECK(latencies(with(5001), kWorking).empty());
  CHECK(with(5001).misses == 1);
  CHECK(with(5001).changes == 2);
}

TEST_CASE("A miss of what was certain for less than a second is a short one") {
  const auto with = [](Ms end) {
    return score(truth_until(9000, {{0, kIdle}, {2000, kWorking}, {end, kIdle}}), {{0, kIdle}});
  };
  CHECK(with(2999).short_misses == 1);
  CHECK(with(2999).misses == 0);
  CHECK(with(3000).short_misses == 0);
  CHECK(with(3000).misses == 1);
}

TEST_CASE("A fact without a length can be missed too") {
  const Truth truth =
      truth_until(9000, {{0, kIdle}, {2000, kWorking}, {2000, kUnsure}, {3000, kIdle}});
  CHECK(score(truth, {{0, kIdle}}).short_misses == 1);
  CHECK(latencies(score(truth, {{0, kIdle}, {2100, kWorking}, {2900, kIdle}}), kWorking) ==
        Latencies{100});
}

TEST_CASE(
    "The same status on both sides of unsure time is no change; starting and exited are none") {
  CHECK(score(truth_until(9000, {{0, kIdle}, {2000, kUnsure}, {3000, kIdle}}), {}).changes == 0);
  CHECK(score(truth_until(9000, {{0, kIdle}, {2000, kStarting}}), {}).changes == 0);
  CHECK(score(truth_until(9000, {{0, kIdle}, {2000, kExited}}), {}).changes == 0);
}

TEST_CASE("In unsure time both neighbours are no spurious change, anything else is") {
  const Truth truth = truth_until(9000, {{0, kWorking}, {4000, kUnsure}, {6000, kError}});
  const auto spurious = [&truth](AgentStatus status) {
    return score(truth, {{0, kWorking}, {4500, status}, {6000, kError}}).spurious;
  };
  CHECK(spurious(kError) == 0);
  CHECK(spurious(kIdle) == 0);  // by the lenient rule this is right for an error
  CHECK(spurious(kWaiting) == 1);
  CHECK(score(truth, {{0, kWorking}, {4200, kError}, {4400, kWorking}}).spurious == 0);
}

TEST_CASE("The first thing said is no spurious change") {
  CHECK(score(turn(), {{0, kWaiting}, {2000, kWorking}, {8000, kIdle}}).spurious == 0);
}

TEST_CASE("An exit is seen when it is said within the grace time; nothing after it is scored") {
  const Truth truth = truth_until(20'000, {{0, kIdle}, {4000, kExited}});
  const auto with = [&truth](Ms at) { return score(truth, {{0, kIdle}, {at, kExited}}); };
  CHECK(with(4100).exits == 1);
  CHECK(with(4100).exits_seen == 1);
  CHECK(with(9000).exits_seen == 1);
  CHECK(with(9001).exits_seen == 0);
  CHECK(with(9001).scored_ms == 4000);
  CHECK(score(truth, {{0, kIdle}, {6000, kWaiting}}).spurious == 0);
  CHECK(score(turn(), {}).exits == 0);
}

TEST_CASE(
    "Ignored time is neither scored nor a source of misses, and both sides may be true there") {
  Truth truth = turn();
  const Timeline silent = {{0, kIdle}, {4000, kWorking}, {8000, kIdle}};
  CHECK(score(truth, silent).false_idle.ms == 2000);
  ignore(truth, {{1900, 4000}});
  const Score result = score(truth, silent);
  CHECK(result.scored_ms == 7900);
  CHECK(result.false_idle.count == 0);
  CHECK(latencies(result, kWorking) == Latencies{2100});
  CHECK(result.spurious == 0);
}

TEST_CASE("A sum has every recording's time, episodes and latencies") {
  Score sum;
  add(sum, score(turn(),
                 {{0, kIdle}, {2100, kWorking}, {4000, kIdle}, {6000, kWorking}, {8000, kIdle}}));
  add(sum, score(turn(), {{0, kIdle}, {2300, kWorking}, {8200, kWaiting}}));
  CHECK(sum.recordings == 2);
  CHECK(sum.scored_ms == 20'000);
  CHECK(confused(sum, kIdle, kIdle) == 6000);
  CHECK(confused(sum, kWorking, kIdle) == 2400);
  CHECK(sum.false_idle.ms == 2400);
  CHECK(sum.false_idle.count == 3);
  CHECK(sum.false_idle.lasting == 1);
  CHECK(sum.drops == 1);
  CHECK(sum.false_wait.ms == 1800);
  CHECK(sum.changes == 4);
  CHECK(sum.misses == 1);
  CHECK(sum.spurious == 2);
  CHECK(latencies(sum, kWorking) == Latencies{100, 300});
}

TEST_CASE("A percentile is the nearest rank") {
  CHECK_FALSE(percentile({}, 50));
  CHECK(percentile({7}, 95) == 7);
  CHECK(percentile({4, 1, 3, 2}, 50) == 2);
  CHECK(percentile({5, 4, 3, 2, 1}, 50) == 3);
  CHECK(percentile({1, 2, 3, 4}, 95) == 4);
  CHECK(percentile({1, 2, 3, 4}, 100) == 4);
  Latencies hundred(100);
  for (size_t i = 0; i < hundred.size(); ++i) hundred[i] = static_cast<int64_t>(i) + 1;
  CHECK(percentile(hundred, 95) == 95);
}

}  // namespace orch::accuracy
