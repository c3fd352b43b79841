#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::live {

// One measured value, with a name like "latency.turns.p99". bench/floors.json has bounds for those
// that are stable enough.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  uint64_t n = 1;  // the number of measurements behind it
};

// One line for each figure that says nothing: without a measurement, not a number, or a count of
// missed events that is not 0.
std::vector<std::string> unmeasured(const std::vector<Figure>& figures);

// The percentile by nearest rank; the values need not be sorted. 0 without values.
double percentile(std::vector<double> values, double percent);

// Makes the figures NAME.p50, NAME.p99 and NAME.max.
std::vector<Figure> distribution(const std::string& name, const std::vector<double>& values,
                                 const std::string& unit);

std::string table_of(const std::vector<Figure>& figures);
std::string json_of(const std::vector<Figure>& figures);

}  // namespace orch::live
