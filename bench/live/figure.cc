#include "live/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace orch::live {

double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  const double rank = std::ceil(static_cast<double>(values.size()) * percent / 100);
  const auto nth = values.begin() + std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(rank), 1);
  std::nth_element(values.begin(), nth - 1, values.end());
  return *(nth - 1);
}

std::vector<Figure> distribution(const std::string& name, const std::vector<double>& values,
                                 const std::string& unit) {
  const uint64_t n = values.size();
  return {{name + ".p50", percentile(values, 50), unit, n},
          {name + ".p99", percentile(values, 99), unit, n},
          {name + ".max", percentile(values, 100), unit, n}};
}

std::vector<std::string> unmeasured(const std::vector<Figure>& figures) {
  std::vector<std::string> lines;
  for (const Figure& figure : figures) {
    if (figure.n == 0) {
      lines.push_back(figure.name + ": nothing was measured");
    } else if (!std::isfinite(figure.value)) {
      lines.push_back(figure.name + ": no number");
    } else if (figure.name.ends_with(".missed") && figure.value > 0) {
      lines.push_back(fmt::format("{}: {:g} of {}", figure.name, figure.value, figure.n));
    }
  }
  return lines;
}

std::string table_of(const std::vector<Figure>& figures) {
  std::string out;
  for (const Figure& figure : figures) {
    out += fmt::format("{:<36}{:>12.{}f} {:<10}{:>8}\n", figure.name, figure.value,
                       figure.value < 100 ? 2 : 0, figure.unit, fmt::format("n={}", figure.n));
  }
  return out;
}

std::string json_of(const std::vector<Figure>& figures) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Figure& figure : figures) {
    out.push_back(
        {{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}, {"n", figure.n}});
  }
  return out.dump(2) + "\n";
}

}  // namespace orch::live
