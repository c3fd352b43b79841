#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::live {

// One measured value, by a name like "latency.turns.p99". What it may be, where that does not
// waver, is in bench/floors.json.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  uint64_t n = 1;  // how many measurements it stands for
};

// A line for each figure that tells nothing: of no measurement, no number, or a count of what was
// missed that is not 0.
std::vector<std::string> unmeasured(const std::vector<Figure>& figures);

// Of values that need not be sorted, by the nearest rank; 0 of none.
double percentile(std::vector<double> values, double percent);

// NAME.p50, .p99 and .max.
std::vector<Figure> distribution(const std::string& name, const std::vector<double>& values,
                                 const std::string& unit);

std::string table_of(const std::vector<Figure>& figures);
std::string json_of(const std::vector<Figure>& figures);

}  // namespace orch::live
