#include "driver/usage_counts.h"

#include <algorithm>
#include <utility>

namespace orch::driver {
namespace {

constexpr int64_t kMost = 1'000'000'000'000;
constexpr double kMostUsd = 1e9;
// The most requests that are remembered; then all are forgotten, and a line that repeats one of
// them would be counted again. Lines about the same request stand close together.
constexpr size_t kMostRequests = 100'000;

int64_t count_at(std::string_view way, const AgentJson& json) {
  constexpr std::string_view kEvery = "/*/";
  if (const size_t every = way.find(kEvery); every != std::string_view::npos) {
    const AgentJson* object = member_of(json, way.substr(0, every));
    if (object == nullptr || !object->is_object()) return 0;
    int64_t sum = 0;
    for (const AgentJson& member : *object) {
      sum = std::min(sum + count_at(way.substr(every + kEvery.size() - 1), member), kMost);
    }
    return sum;
  }
  const AgentJson* member = member_of(json, way);
  if (member == nullptr || !member->is_number()) return 0;
  const auto count = member->get<double>();
  return count > 0 && count < static_cast<double>(kMost) ? static_cast<int64_t>(count) : 0;
}

int64_t sum_of(const std::vector<std::string>& ways, const AgentJson& json) {
  int64_t sum = 0;
  for (const std::string& way : ways) sum += count_at(way, json);
  return std::min(sum, kMost);
}

}  // namespace

event::Usage counts_of(const adapters::UsageSpec& spec, const AgentJson& json) {
  event::Usage usage;
  usage.in = sum_of(spec.in, json);
  usage.out = sum_of(spec.out, json);
  usage.cached = sum_of(spec.cached, json);
  const AgentJson* cost = member_of(json, spec.cost);
  if (cost != nullptr && cost->is_number()) {
    const auto usd = cost->get<double>();
    if (usd >= 0 && usd < kMostUsd) usage.cost_usd = usd;
  }
  return usage;
}

UsageSum::UsageSum(const adapters::RecordSpec& spec, std::string since)
    : spec_(spec), since_(std::move(since)) {
  const std::vector<std::string>& ways = spec_.usage.counts.in;
  if (!ways.empty()) hint_ = "\"" + ways.front().substr(ways.front().rfind('/') + 1) + "\"";
}

void UsageSum::take(std::string_view line) {
  if (hint_.empty() || line.find(hint_) == std::string_view::npos) return;
  const AgentJson json = parse_agent_json(line);
  if (!json.is_object()) return;
  const AgentJson* all = member_of(json, spec_.all);
  if (all == nullptr || !all->is_array()) return take_object(json);
  for (const AgentJson& one : *all) take_object(one);
}

void UsageSum::take_object(const AgentJson& line) {
  const adapters::RecordSpec::Usage& spec = spec_.usage;
  if (!holds(spec.when, line)) return;
  const std::string* time = text_of(line, spec_.time);
  if (time == nullptr || *time < since_) return;
  const std::string* id = text_of(line, spec.id);
  if (id == nullptr) return;
  if (counted_.size() >= kMostRequests) counted_.clear();
  count(counts_of(spec.counts, line), counted_[*id]);
}

void UsageSum::count(const event::Usage& now, Counts& counted) {
  const auto raise = [](int64_t& sum, int64_t& before, int64_t after) {
    if (after <= before) return;
    sum = std::min(sum + after - before, kMost);
    before = after;
  };
  raise(sum_.in, counted.in, now.in);
  raise(sum_.out, counted.out, now.out);
  raise(sum_.cached, counted.cached, now.cached);
  if (!now.cost_usd) return;
  sum_.cost_usd = sum_.cost_usd.value_or(0) + std::max(0.0, *now.cost_usd - counted.cost_usd);
  counted.cost_usd = std::max(counted.cost_usd, *now.cost_usd);
}

}  // namespace orch::driver
