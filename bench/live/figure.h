#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::live {

// One measured value, by a name like "latency.turns.p99".
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  uint64_t n = 1;  // how many measurements it stands for
  std::optional<double> at_most;

  bool holds() const { return !at_most || value <= *at_most; }
};

// Of values that need not be sorted, by the nearest rank; 0 of none.
double percentile(std::vector<double> values, double percent);

// NAME.p50, .p99 (with its bound) and .max.
std::vector<Figure> distribution(const std::string& name, const std::vector<double>& values,
                                 const std::string& unit, std::optional<double> p99_at_most);

std::string table_of(const std::vector<Figure>& figures);
std::string json_of(const std::vector<Figure>& figures);

}  // namespace orch::live
