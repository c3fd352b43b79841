// Looking for literals before the expressions loses no match: with and without it the same patterns
// match, in every row and title of the recordings and in rows made from them.

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <set>

#include "adapters/registry.h"
#include "store/cast_reader.h"
#include "term/screen.h"

namespace orch::adapters {
namespace {

// Every row and title that any recording shows.
std::set<std::string> recorded_rows() {
  std::set<std::string> rows;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ORCH_RECORDINGS)) {
    if (entry.path().extension() != ".cast") continue;
    const base::Result<store::Cast> cast = store::read_cast(entry.path());
    if (!cast) continue;
    term::Screen screen({cast->header.cols, cast->header.rows});
    std::vector<uint64_t> stamps(static_cast<size_t>(screen.size().rows));
    for (const store::CastEvent& event : cast->events) {
      if (event.kind != store::CastKind::kOutput) continue;
      screen.feed(event.data);
      rows.insert(screen.title());
      for (int row = 0; row < screen.size().rows; ++row) {
        uint64_t& stamp = stamps[static_cast<size_t>(row)];
        if (stamp == screen.stamp(row)) continue;
        stamp = screen.stamp(row);
        std::string text;
        screen.append_row_text(row, text);
        rows.insert(std::move(text));
      }
    }
  }
  return rows;
}

// A row with a piece of it left out, repeated, or joined to another row.
std::string mutated(const std::string& row, const std::string& other, std::mt19937& random) {
  const auto below = [&random](size_t n) { return random() % (n + 1); };
  const size_t at = below(row.size()), length = below(8);
  switch (random() % 5) {
    case 0:
      return std::string(row).erase(at, length);
    case 1:
      return row.substr(0, at) + row.substr(at - std::min(at, length));
    case 2:
      return row.substr(at) + other;
    case 3:
      return other.substr(0, below(other.size())) + row.substr(at);
    default:
      return row.substr(0, at);
  }
}

void check_same(const base::PatternSet& patterns, const std::string& text) {
  if (patterns.match(text) == patterns.match_by_expressions(text)) return;
  FAIL("\"" + text + "\" matches differently without the literals");
}

}  // namespace

TEST_CASE("Patterns match the same with and without the literals that they require") {
  const std::set<std::string> recorded = recorded_rows();
  const std::vector<std::string> rows(recorded.begin(), recorded.end());
  REQUIRE(rows.size() > 1000);
  const base::Result<Registry> registry = Registry::load({});
  for (const Manifest& manifest : registry->all()) {
    const auto rules = detect::RuleSet::compile(manifest.rules);
    REQUIRE(rules);
    std::mt19937 random(1);
    for (const std::string& row : rows) {
      const std::string other = rows[random() % rows.size()];
      for (const std::string& text : {row, mutated(row, other, random)}) {
        check_same(rules->rows, text);
        check_same(rules->texts, text);
      }
    }
  }
}

}  // namespace orch::adapters
