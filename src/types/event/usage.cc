#include "event/usage.h"

#include <array>
#include <cstdio>
#include <limits>

namespace orch::event {
namespace {

int64_t saturated_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace

std::string usage_text(const Usage& usage) {
  std::string text = std::to_string(usage.in) + " tokens in (" + std::to_string(usage.cached) +
                     " cached), " + std::to_string(usage.out) + " out";
  if (!usage.cost_usd) return text;
  std::array<char, 64> cost{};
  std::snprintf(cost.data(), cost.size(), ", $%.4f", *usage.cost_usd);
  return text + cost.data();
}

std::string tokens_text(int64_t tokens) {
  constexpr double kThousand = 1e3, kMillion = 1e6;
  const auto number = static_cast<double>(tokens);
  std::array<char, 64> text{};
  if (number < kThousand) {
    std::snprintf(text.data(), text.size(), "%.0f", number);
  } else if (number < kMillion) {
    std::snprintf(text.data(), text.size(), "%.1fk", number / kThousand);
  } else {
    std::snprintf(text.data(), text.size(), "%.1fM", number / kMillion);
  }
  return text.data();
}

std::string tokens_text(const Usage& usage) { return tokens_text(tokens(usage)); }

int64_t tokens(const Usage& usage) { return saturated_sum(usage.in, usage.out); }

void add(Usage& sum, const Usage& more) {
  sum.in = saturated_sum(sum.in, more.in);
  sum.out = saturated_sum(sum.out, more.out);
  sum.cached = saturated_sum(sum.cached, more.cached);
  if (more.cost_usd) sum.cost_usd = sum.cost_usd.value_or(0) + *more.cost_usd;
  if (sum.source.empty()) sum.source = more.source;
}

}  // namespace orch::event
