#include "exchange/prices.h"

#include <algorithm>
#include <utility>

#include "base/json_members.h"
#include "base/json_writer.h"

namespace orch::exchange {
namespace {

constexpr double kMillion = 1e6;

double dollars(const Price& price, const Counts& counts) {
  const auto tokens = [](int64_t count) { return static_cast<double>(count); };
  const double plain = tokens(counts.in - counts.cached - counts.written);
  return (std::max(plain, 0.0) * price.in + tokens(counts.cached) * price.cached +
          tokens(counts.written) * price.written + tokens(counts.out) * price.out) /
         kMillion;
}

}  // namespace

// The vendors' price pages, standard tier, without the surcharge for very long contexts.
PriceTable PriceTable::built_in() {
  PriceTable table;
  table.prices_ = {{"claude-fable", 10, 50, 1, 12.5},
                   {"claude-opus-4", 5, 25, 0.5, 6.25},
                   {"claude-opus-4-0", 15, 75, 1.5, 18.75},
                   {"claude-opus-4-1", 15, 75, 1.5, 18.75},
                   {"claude-opus-4-2025", 15, 75, 1.5, 18.75},
                   {"claude-sonnet", 3, 15, 0.3, 3.75},
                   {"claude-haiku", 1, 5, 0.1, 1.25},
                   {"claude-3-5-haiku", 0.8, 4, 0.08, 1},
                   {"gpt-5", 1.25, 10, 0.125, 1.25},
                   {"gpt-5-mini", 0.25, 2, 0.025, 0.25},
                   {"gpt-5.1-codex-mini", 0.25, 2, 0.025, 0.25},
                   {"gpt-5.2", 1.75, 14, 0.175, 1.75},
                   {"gemini-2.5-pro", 1.25, 10, 0.125, 1.25},
                   {"gemini-2.5-flash", 0.3, 2.5, 0.03, 0.3},
                   {"gemini-2.5-flash-lite", 0.1, 0.4, 0.01, 0.1},
                   {"gemini-3-pro", 2, 12, 0.2, 2},
                   {"gemini-3.1-pro", 2, 12, 0.2, 2}};
  return table;
}

base::Result<PriceTable> PriceTable::parse(std::string_view json, std::string_view file) {
  constexpr auto kFields = [](auto& in, auto& price) {
    in.required("model", price.model);
    in.required("in", price.in);
    in.required("out", price.out);
    price.cached = price.written = price.in;
    in.optional("cached", price.cached);
    in.optional("written", price.written);
  };
  base::JsonDocument document(file, json, base::JsonAuthor::kPerson);
  PriceTable table;
  {
    base::JsonMembers in(document);
    in.list("prices", table.prices_, kFields);
    if (table.prices_.empty()) in.fail("prices", "must name the price of a model");
    for (const Price& price : table.prices_) {
      if (std::min({price.in, price.out, price.cached, price.written}) < 0) {
        in.fail("prices", "\"" + price.model + "\": a price cannot be negative");
      }
    }
  }
  return document.finish(std::move(table));
}

PriceTable::Cost PriceTable::cost(const Counts& counts, std::string_view model) const {
  const Price* best = nullptr;
  for (const Price& price : prices_) {
    if (!model.starts_with(price.model)) continue;
    if (best == nullptr || price.model.size() > best->model.size()) best = &price;
  }
  if (best != nullptr) return {dollars(*best, counts), true};
  double most = 0;
  for (const Price& price : prices_) most = std::max(most, dollars(price, counts));
  return {most, false};
}

}  // namespace orch::exchange
