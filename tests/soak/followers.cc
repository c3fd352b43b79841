// followers ORCH CHATTER [ROUNDS [MS [RATE [SLACK]]]]: 20 followers, each in a process of its own,
// follow one session. Its agent floods RATE (1000) KB a second (0: as fast as it can, which so many
// followers on few processors cannot read) and changes its status every 250 ms. Each of ROUNDS (6)
// rounds runs MS (3000) milliseconds with all followers, and as long with one of them stopped
// (SIGSTOP). The lag of a status is the time between its record and its arrival, also if a follower
// that fell behind reads it from the event log. Bounds: with one stopped, the p99 of the others
// (the median over the rounds) is at most 1.5 times that without, plus SLACK (1) milliseconds; and
// the host grows by less than 8 MB.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "chatter_host.h"
#include "client/client.h"
#include "event/event.h"
#include "loop/loop.h"
#include "store/time_text.h"

namespace orch::soak {
namespace {

using std::chrono::milliseconds;
using WallClock = std::chrono::system_clock;

constexpr size_t kFollowers = 20;
constexpr int64_t kGrowthKb = 8 << 10;
constexpr double kRatio = 1.5;
constexpr milliseconds kPause{20};

int64_t wall_ms() {
  return std::chrono::duration_cast<milliseconds>(WallClock::now().time_since_epoch()).count();
}

// The arrival of a status.
struct Sample {
  int64_t at_ms = 0;  // wall clock
  int64_t lag_ms = 0;
};

// What one follower does until the session ends; it writes its samples to the pipe as they come.
class StatusFollower final : public client::Follower {
 public:
  StatusFollower(const store::SessionRecord& session, const base::Fd& samples)
      : session_(session), samples_(samples) {}

  void run() {
    auto client = client::Client::connect(loop_, "", session_);
    if (!client) return;
    (*client)->follow({.events = true, .raw = false}, *this);
    loop_.run();
  }

 private:
  void on_started(uint64_t) override { tell({wall_ms(), 0}); }
  void on_event(std::string_view json) override {
    // Only records of the session and of statuses, not the flood.
    if (json.find("\"event\":\"s") == json.npos) return;
    const std::optional<event::Record> record = event::parse_record(json);
    if (!record) return;
    if (const auto* start = std::get_if<event::SessionStart>(&record->event)) {
      return take_start(start->started);
    }
    const int64_t now = wall_ms();
    tell({now, now - started_ms_ - record->ms});
  }
  void on_lagged(const client::Gap& gap) override {
    std::ifstream in(session_.run_dir + "/events.jsonl", std::ios::binary);
    in.seekg(static_cast<std::streamoff>(gap.from));
    std::string line;
    for (uint64_t at = gap.from; at < gap.to && std::getline(in, line); at += line.size() + 1) {
      on_event(line);
    }
  }
  void on_end(std::string_view) override { loop_.stop(); }
  void on_lost(const base::Error&) override { loop_.stop(); }

  void take_start(const std::string& started) {
    const auto time = store::parse_rfc3339_utc(started);
    if (!time) return loop_.stop();
    started_ms_ = std::chrono::duration_cast<milliseconds>(time->time_since_epoch()).count();
  }
  void tell(const Sample& sample) {
    if (::write(samples_.get(), &sample, sizeof sample) != sizeof sample) loop_.stop();
  }

  loop::Loop loop_;
  const store::SessionRecord& session_;
  const base::Fd& samples_;
  int64_t started_ms_ = 0;  // the session's start, on the wall clock
};

struct FollowerProcess {
  pid_t pid = 0;
  base::Fd samples;

  Sample read() const {  // waits for a sample
    Sample sample;
    if (::read(samples.get(), &sample, sizeof sample) != sizeof sample) std::exit(2);
    return sample;
  }
};

FollowerProcess start_follower(const store::SessionRecord& session) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::exit(2);
  FollowerProcess follower;
  follower.samples.reset(ends[0]);
  const base::Fd write_end(ends[1]);
  follower.pid = ::fork();
  if (follower.pid != 0) return follower;
  StatusFollower(session, write_end).run();
  ::_exit(0);
}

struct Phase {
  bool stopped = false;
  int64_t from_ms = 0, to_ms = 0;
};

class Measurement {
 public:
  Measurement(ChatterHost& host, milliseconds length) : host_(host), length_(length) {
    for (size_t i = 0; i < kFollowers; ++i) {
      followers_.push_back(start_follower(host.sessions().front()));
    }
    for (const FollowerProcess& follower : followers_) follower.read();
    before_kb_ = host.resident_kb();
    host.let_go();
    wait(length_);
  }

  void round(bool stopped_first) {
    for (const bool stopped : {stopped_first, !stopped_first}) {
      Phase phase{stopped, wall_ms(), 0};
      if (stopped) ::kill(followers_.front().pid, SIGSTOP);
      wait(length_);
      phase.to_ms = wall_ms();
      if (stopped) {
        ::kill(followers_.front().pid, SIGCONT);
        wait(length_ / 4);  // lets the stopped one catch up
      }
      phases_.push_back(phase);
    }
  }

  // Ends the followers; the host has to be ended after them.
  void end_followers() {
    for (const FollowerProcess& follower : followers_) ::kill(follower.pid, SIGTERM);
    for (const FollowerProcess& follower : followers_) ::waitpid(follower.pid, nullptr, 0);
  }

  // The lags of all followers except the one that is stopped at times, by phase.
  std::vector<std::vector<int64_t>> lags_ms(bool stopped) {
    if (samples_.empty()) read_samples();
    std::vector<std::vector<int64_t>> lags;
    for (const Phase& phase : phases_) {
      if (phase.stopped != stopped) continue;
      std::vector<int64_t>& inside = lags.emplace_back();
      for (const Sample& sample : samples_) {
        const bool during = phase.from_ms <= sample.at_ms && sample.at_ms < phase.to_ms;
        if (during) inside.push_back(sample.lag_ms);
      }
    }
    return lags;
  }
  int64_t growth_kb() const { return most_kb_ - before_kb_; }

 private:
  void wait(milliseconds time) {
    for (const auto until = WallClock::now() + time; WallClock::now() < until;) {
      most_kb_ = std::max(most_kb_, host_.resident_kb());
      std::this_thread::sleep_for(kPause);
    }
  }

  void read_samples() {
    for (size_t i = 1; i < followers_.size(); ++i) {
      Sample sample;
      while (::read(followers_[i].samples.get(), &sample, sizeof sample) == sizeof sample) {
        samples_.push_back(sample);
      }
    }
  }

  ChatterHost& host_;
  milliseconds length_;
  std::vector<FollowerProcess> followers_;
  std::vector<Phase> phases_;
  std::vector<Sample> samples_;
  int64_t before_kb_ = 0, most_kb_ = 0;
};

// Returns the median of the p99 values, or nothing if no status arrived in one of the phases.
std::optional<int64_t> print_lags(const char* what, const std::vector<std::vector<int64_t>>& ms) {
  std::vector<int64_t> all, p99;
  bool each = !ms.empty();
  for (const std::vector<int64_t>& phase : ms) {
    all.insert(all.end(), phase.begin(), phase.end());
    p99.push_back(percentile(phase, 99));
    each = each && !phase.empty();
  }
  const auto shown = [](int64_t value) { return static_cast<long long>(value); };
  std::printf("status lag, %-12s median %lld  p99 %lld  max %lld ms of %zu; p99 of each time:",
              what, shown(percentile(all, 50)), shown(percentile(all, 99)),
              shown(percentile(all, 100)), all.size());
  for (const int64_t value : p99) std::printf(" %lld", shown(value));
  std::printf("\n");
  return each ? std::optional(percentile(p99, 50)) : std::nullopt;
}

int run(const ChatterHost::Plan& plan, int rounds, milliseconds length, int64_t slack_ms) {
  ChatterHost host(plan);
  Measurement measurement(host, length);
  for (int i = 0; i < rounds; ++i) measurement.round(i % 2 == 1);
  measurement.end_followers();
  const std::optional<int64_t> without = print_lags("all reading", measurement.lags_ms(false));
  const std::optional<int64_t> with = print_lags("one stopped", measurement.lags_ms(true));
  if (!without || !with) {
    std::printf("nothing arrived: this machine cannot read that fast\n");
    return 1;
  }
  const double limit = static_cast<double>(*without) * kRatio + static_cast<double>(slack_ms);
  std::printf("p99 with one stopped: %lld ms (limit %.1f)\n", static_cast<long long>(*with), limit);
  std::printf("the host grew by %.1f MB (limit %lld)\n",
              static_cast<double>(measurement.growth_kb()) / 1024,
              static_cast<long long>(kGrowthKb >> 10));
  const bool good = static_cast<double>(*with) <= limit && measurement.growth_kb() < kGrowthKb;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace orch::soak

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: followers ORCH CHATTER [ROUNDS [MS [RATE [SLACK]]]]\n");
    return 2;
  }
  orch::soak::ChatterHost::Plan plan{.orch = argv[1], .chatter = argv[2], .issues = {"1"}};
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 6;
  const int64_t length_ms = argc > 4 ? std::atoll(argv[4]) : 3000;
  plan.rate = (argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1000) * 1000;
  const int64_t slack_ms = argc > 6 ? std::atoll(argv[6]) : 1;
  return orch::soak::run(plan, rounds, std::chrono::milliseconds(length_ms), slack_ms);
}
