#include "base/name.h"

#include <algorithm>
#include <numeric>

#include "base/ascii.h"

namespace orch::base {
namespace {

constexpr size_t kLongestCompared = 64;

// How many letters have to be inserted, removed, changed, or swapped with the next one, to turn one
// word into the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

}  // namespace

bool is_name(std::string_view text, size_t most) {
  return !text.empty() && text.size() <= most && is_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}

std::string without_number_sign(std::string word) {
  const bool is_number = word.size() > 1 && word.front() == '#' &&
                         word.find_first_not_of("0123456789", 1) == std::string::npos;
  if (is_number) word.erase(0, 1);
  return word;
}

std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.size() > kLongestCompared) return "";
  std::string_view nearest;
  // A word that differs more is another word.
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const size_t apart = distance(word, candidate);
    if (apart >= least) continue;
    least = apart;
    nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_name(word, known);
  return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

}  // namespace orch::base
