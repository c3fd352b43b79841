#include "session/usage_watch.h"

#include <utility>

namespace orch::session {
namespace {

constexpr int64_t kPollMs = 1000;   // while the agent works
constexpr int64_t kAfterMs = 1000;  // after its turn, for what it writes late

}  // namespace

UsageWatch::UsageWatch(loop::Loop& loop, UsageFiles files, std::function<Agent()> who,
                       std::function<void(const event::Usage&)> on_usage)
    : files_(std::move(files)),
      who_(std::move(who)),
      on_usage_(std::move(on_usage)),
      timer_(loop) {}

void UsageWatch::on_status(event::AgentStatus status) {
  const bool worked = std::exchange(status_, status) == event::AgentStatus::kWorking;
  const bool works = status == event::AgentStatus::kWorking;
  if (status == event::AgentStatus::kExited) return timer_.stop();
  if (works && !worked) timer_.start(kPollMs, [this] { poll(); });
  if (worked && !works) timer_.start(kAfterMs, [this] { look(); });
}

// To look for files takes longer than to read what has come to the known ones, so that is only done
// until one is found.
void UsageWatch::poll() {
  timer_.start(kPollMs, [this] { poll(); });
  if (!files_.any()) return look();
  files_.read();
  tell_new();
}

void UsageWatch::look() {
  const Agent agent = who_();
  files_.find(agent.pid, agent.session);
  files_.read();
  tell_new();
}

void UsageWatch::tell_new() {
  const event::Usage& sum = files_.sum();
  if (sum == told_) return;
  event::Usage more;
  more.in = sum.in - told_.in;
  more.out = sum.out - told_.out;
  more.cached = sum.cached - told_.cached;
  if (sum.cost_usd) more.cost_usd = *sum.cost_usd - told_.cost_usd.value_or(0);
  more.source = "record";
  told_ = sum;
  on_usage_(more);
}

}  // namespace orch::session
