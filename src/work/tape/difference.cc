#include "tape/difference.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace orch::tape {
namespace {

using base::Json;

constexpr size_t kBefore = 24, kExcerpt = 100;  // bytes
constexpr const char* kMissing = "(missing)";

// A part of the text from a little before `at`.
std::string excerpt(std::string_view text, size_t at) {
  const size_t from = at > kBefore ? at - kBefore : 0;
  std::string_view part = text.substr(std::min(from, text.size()));
  // Not from inside of a character.
  while (from > 0 && !part.empty() && (static_cast<unsigned char>(part.front()) & 0xC0U) == 0x80U) {
    part.remove_prefix(1);
  }
  const std::string_view shown = base::beginning(part, kExcerpt);
  return (from > 0 ? "…" : "") + std::string(shown) + (shown.size() < part.size() ? "…" : "");
}

// Texts are shown with their line ends as JSON writes them.
std::string text_of(const Json& json) {
  const std::string text = base::json_line(json);
  return json.is_string() ? text.substr(1, text.size() - 2) : text;
}

class Comparison {
 public:
  explicit Comparison(size_t most) : most_(most) {}
  std::vector<Difference> take() { return std::move(found_); }

  void compare(const Json& expected, const Json& actual, const std::string& path) {
    if (found_.size() >= most_ || expected == actual) return;
    if (expected.is_object() && actual.is_object()) return members(expected, actual, path);
    if (expected.is_array() && actual.is_array()) return elements(expected, actual, path);
    const std::string a = text_of(expected), b = text_of(actual);
    const auto at = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    add(path, excerpt(a, at), excerpt(b, at));
  }

 private:
  void add(const std::string& path, std::string expected, std::string actual) {
    if (found_.size() < most_) found_.push_back({path, std::move(expected), std::move(actual)});
  }

  void members(const Json& expected, const Json& actual, const std::string& path) {
    for (const auto& [name, value] : expected.items()) {
      const auto other = actual.find(name);
      if (other == actual.end()) {
        add(path + "/" + name, excerpt(text_of(value), 0), kMissing);
      } else {
        compare(value, *other, path + "/" + name);
      }
    }
    for (const auto& [name, value] : actual.items()) {
      if (!expected.contains(name)) add(path + "/" + name, kMissing, excerpt(text_of(value), 0));
    }
  }

  void elements(const Json& expected, const Json& actual, const std::string& path) {
    for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
      const std::string place = path + "/" + std::to_string(i);
      if (i >= expected.size()) {
        add(place, kMissing, excerpt(text_of(actual[i]), 0));
      } else if (i >= actual.size()) {
        add(place, excerpt(text_of(expected[i]), 0), kMissing);
      } else {
        compare(expected[i], actual[i], place);
      }
    }
  }

  size_t most_;
  std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(std::string_view expected, std::string_view actual,
                                    size_t most) {
  Comparison comparison(most);
  comparison.compare(base::parse_json(expected), base::parse_json(actual), "");
  return comparison.take();
}

}  // namespace orch::tape
