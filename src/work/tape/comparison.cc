#include "tape/comparison.h"

#include "tape/player.h"
#include "tape/said.h"

namespace orch::tape {
namespace {

// Whether they may be partners. Requests that ask no model differ by their paths.
bool is_alike(const Entry& a, const Entry& b) {
  if (a.kind != b.kind || a.protocol != b.protocol) return false;
  return !a.protocol.empty() || (a.method == b.method && plain_path(a) == plain_path(b));
}

Pair pair_of(const Entry& entry) {
  return {.kind = entry.kind, .method = entry.method, .path = std::string(plain_path(entry))};
}

// Finds a partner that has none yet; the size of `others` if there is none.
template <typename Fits>
size_t partner(const std::vector<Entry>& others, const std::vector<bool>& is_taken,
               const Fits& fits) {
  size_t at = 0;
  while (at < others.size() && (is_taken[at] || !fits(others[at]))) ++at;
  return at;
}

}  // namespace

std::vector<Pair> compare(const Tape& first, const Tape& second, size_t most) {
  const std::vector<Entry>& others = second.entries;
  std::vector<bool> is_taken(others.size());
  std::vector<size_t> partners(first.entries.size(), others.size());
  const auto find = [&](bool has_to_equal) {
    for (size_t i = 0; i < partners.size(); ++i) {
      if (partners[i] < others.size()) continue;
      const Entry& entry = first.entries[i];
      partners[i] = partner(others, is_taken, [&](const Entry& other) {
        return is_alike(entry, other) && (!has_to_equal || entry.request == other.request);
      });
      if (partners[i] < others.size()) is_taken[partners[i]] = true;
    }
  };
  find(true);
  find(false);
  std::vector<Pair> pairs;
  for (size_t i = 0; i < partners.size(); ++i) {
    const Entry& entry = first.entries[i];
    Pair pair = pair_of(entry);
    pair.first = entry.n;
    if (partners[i] < others.size()) {
      const Entry& other = others[partners[i]];
      pair.second = other.n;
      pair.request = differences(entry.request, other.request, most);
      if (plain_path(entry) != plain_path(other)) {
        pair.request.push_back(
            {"path", std::string(plain_path(entry)), std::string(plain_path(other))});
      }
      pair.answer = differences(answer_json(entry), answer_json(other), most);
    }
    pairs.push_back(std::move(pair));
  }
  for (size_t i = 0; i < others.size(); ++i) {
    if (is_taken[i]) continue;
    Pair pair = pair_of(others[i]);
    pair.second = others[i].n;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace orch::tape
