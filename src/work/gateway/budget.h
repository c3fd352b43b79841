#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "adapters/gateway_spec.h"
#include "event/usage.h"
#include "exchange/prices.h"
#include "exchange/usage.h"

namespace orch::gateway {

// The most that a run may use; 0: no limit.
struct Limits {
  int64_t tokens = 0;    // in and out
  int64_t uncached = 0;  // the same without input that was read from the cache
  double dollars = 0;
  bool any() const { return tokens > 0 || uncached > 0 || dollars > 0; }
};

// Adds up what the requests of a run have used, by kind and model, and compares it with the limits.
class Budget {
 public:
  Budget(Limits limits, exchange::PriceTable prices)
      : limits_(limits), prices_(std::move(prices)) {}

  // The usage of one request, with its price.
  struct Spent {
    event::Usage usage;
    bool has_price = false;  // the table has its model
  };
  // `asked_model` is the model that was asked, which counts if the answer named none.
  Spent spent(const exchange::Counts& counts, const std::string& asked_model) const;
  void add(adapters::GatewaySpec::Kind::Is kind, const exchange::Counts& counts,
           const std::string& asked_model);

  // The limit that all requests together have reached, `under_way` included: "--max-tokens 4000:
  // 4120 used". "" if they have not.
  std::string used_up(const event::Usage& under_way) const;
  // By kind and model: "turn 22 requests of claude-x, 26400 tokens in (20000 cached), 900 out".
  std::string summary() const;
  const event::Usage& total() const { return total_; }

 private:
  struct Sum {
    int64_t requests = 0;
    event::Usage usage;
  };
  Limits limits_;
  exchange::PriceTable prices_;
  event::Usage total_;
  std::map<std::pair<std::string, std::string>, Sum> sums_;  // by kind and model
};

}  // namespace orch::gateway
