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
                                 const std::string& unit, std::optional<double> p99_at_most) {
  const uint64_t n = values.size();
  return {{name + ".p50", percentile(values, 50), unit, n, {}},
          {name + ".p99", percentile(values, 99), unit, n, p99_at_most},
          {name + ".max", percentile(values, 100), unit, n, {}}};
}

std::string table_of(const std::vector<Figure>& figures) {
  std::string out;
  for (const Figure& figure : figures) {
    out += fmt::format("{:<36}{:>12.{}f} {:<10}{:>8}", figure.name, figure.value,
                       figure.value < 100 ? 2 : 0, figure.unit, fmt::format("n={}", figure.n));
    if (figure.at_most) {
      out += fmt::format("   at most {:g}: {}", *figure.at_most, figure.holds() ? "yes" : "NO");
    }
    out += "\n";
  }
  return out;
}

std::string json_of(const std::vector<Figure>& figures) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Figure& figure : figures) {
    nlohmann::ordered_json entry{
        {"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}, {"n", figure.n}};
    if (figure.at_most) {
      entry["at_most"] = *figure.at_most;
      entry["holds"] = figure.holds();
    }
    out.push_back(std::move(entry));
  }
  return out.dump(2) + "\n";
}

}  // namespace orch::live
