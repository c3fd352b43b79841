#include "session/usage_watch.h"

#include <utility>

namespace orch::session {
namespace {

// The time between two reads: while the agent works, and once more after its turn, for late lines.
constexpr int64_t kPollMs = 1000;

}  // namespace

UsageWatch::UsageWatch(loop::Loop& loop, UsageFiles files, std::function<Agent()> who,
                       std::function<void(const event::Usage&)> on_usage,
                       std::function<void(std::string_view)> on_line)
    : files_(std::move(files)),
      who_(std::move(who)),
      on_usage_(std::move(on_usage)),
      on_line_(std::move(on_line)),
      timer_(loop) {}

// A running timer is left alone: an agent whose status keeps changing would otherwise put its
// restart off for ever.
void UsageWatch::on_status(event::AgentStatus status) {
  const bool worked = std::exchange(status_, status) == event::AgentStatus::kWorking;
  const bool works = status == event::AgentStatus::kWorking;
  if (status == event::AgentStatus::kExited) return timer_.stop();
  if (worked && !works) turn_ended_ = true;
  if (works && !timer_.active()) timer_.start(kPollMs, [this] { poll(); });
}

// Looking for files takes longer than reading new lines of the known ones, so that is only done
// until one is found, and when a turn has ended.
void UsageWatch::poll() {
  const bool works = status_ == event::AgentStatus::kWorking;
  const bool turn_ended = std::exchange(turn_ended_, false);
  if (works || turn_ended) timer_.start(kPollMs, [this] { poll(); });
  if (!works || turn_ended || !files_.any()) return look();
  files_.read(on_line_);
  tell_new();
}

void UsageWatch::look() {
  const Agent agent = who_();
  files_.find(agent.pid, agent.session);
  files_.read(on_line_);
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
