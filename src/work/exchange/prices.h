#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exchange/usage.h"

namespace orch::exchange {

// What a model costs: US dollars for a million tokens of each class.
struct Price {
  std::string model;  // the beginning of the model's name
  double in = 0, out = 0;
  double cached = 0;   // input that is read from the cache
  double written = 0;  // input that is written into the cache
};

class PriceTable {
 public:
  // The list prices that were public when this orch was made. Vendors change them: see parse().
  static PriceTable built_in();
  // The user's own table, in place of that one: {"prices": [{"model": "claude-opus-4", "in": 15,
  // "out": 75, "cached": 1.5, "written": 18.75}]}. Without "cached" or "written" that input costs
  // as much as other input. `file` is for the error, which names the entry.
  static base::Result<PriceTable> parse(std::string_view json, std::string_view file);

  struct Cost {
    double dollars = 0;
    bool is_known = false;  // false: the table lacks the model, so its dearest one was taken
  };
  // The entry with the longest beginning of the model's name counts.
  Cost cost(const Counts& counts, std::string_view model) const;

 private:
  std::vector<Price> prices_;
};

}  // namespace orch::exchange
