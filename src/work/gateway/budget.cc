#include "gateway/budget.h"

#include <array>
#include <cstdio>

namespace orch::gateway {
namespace {

std::string dollars_text(double dollars) {
  std::array<char, 32> text;
  const int length = std::snprintf(text.data(), text.size(), "%.4f", dollars);
  return {text.data(), static_cast<size_t>(length)};
}

}  // namespace

Budget::Spent Budget::spent(const exchange::Counts& counts, const std::string& asked_model) const {
  const std::string& model = counts.model.empty() ? asked_model : counts.model;
  const exchange::PriceTable::Cost cost = prices_.cost(counts, model);
  Spent spent{{.in = counts.in,
               .out = counts.out,
               .cached = counts.cached,
               .cost_usd = {},
               .source = "gateway"},
              cost.is_known};
  if (cost.is_known || limits_.dollars > 0) spent.usage.cost_usd = cost.dollars;
  return spent;
}

void Budget::add(adapters::GatewaySpec::Kind::Is kind, const exchange::Counts& counts,
                 const std::string& asked_model) {
  const event::Usage usage = spent(counts, asked_model).usage;
  event::add(total_, usage);
  const std::string& model = counts.model.empty() ? asked_model : counts.model;
  Sum& sum = sums_[{std::string(adapters::name(kind)), model}];
  ++sum.requests;
  event::add(sum.usage, usage);
}

std::string Budget::used_up(const event::Usage& under_way) const {
  event::Usage all = total_;
  event::add(all, under_way);
  const int64_t tokens = event::tokens(all), uncached = tokens - all.cached;
  if (limits_.tokens > 0 && tokens >= limits_.tokens) {
    return "--max-tokens " + std::to_string(limits_.tokens) + ": " + std::to_string(tokens) +
           " used";
  }
  if (limits_.uncached > 0 && uncached >= limits_.uncached) {
    return "--max-tokens uncached:" + std::to_string(limits_.uncached) + ": " +
           std::to_string(uncached) + " used";
  }
  const double dollars = all.cost_usd.value_or(0);
  if (limits_.dollars > 0 && dollars >= limits_.dollars) {
    return "--max-cost " + dollars_text(limits_.dollars) + ": " + dollars_text(dollars) + " used";
  }
  return "";
}

std::string Budget::summary() const {
  std::string text;
  for (const auto& [key, sum] : sums_) {
    if (!text.empty()) text += "; ";
    text += key.first + " " + std::to_string(sum.requests) +
            (sum.requests == 1 ? " request" : " requests") +
            (key.second.empty() ? "" : " of " + key.second) + ", " + event::usage_text(sum.usage);
  }
  return text;
}

}  // namespace orch::gateway
