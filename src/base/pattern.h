#pragma once

#include <bitset>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::base {

// A compiled RE2 expression over UTF-8 text: linear time whatever the text. The only door to RE2,
// also for other modules. Movable, not copyable.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view expression);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  bool matches(std::string_view text) const;  // anywhere in the text
  // The first capturing group (the whole match when the expression has none); false when no match.
  bool capture(std::string_view text, std::string* captured) const;
  const std::string& expression() const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// At most this many patterns in one set: a manifest has about forty.
inline constexpr size_t kMaxPatterns = 128;
using PatternBits = std::bitset<kMaxPatterns>;

// Many expressions searched for at once; which of them match is a bit set, in the order of add().
// The literals that the expressions require are looked for first, in one pass (literals.h). A text
// that holds none of them reaches only those expressions that require none.
class PatternSet {
 public:
  PatternSet();
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  // The expression's bit; the same expression gets the same bit. An error names the expression.
  Result<size_t> add(std::string_view expression);
  Status compile();  // after the last add()
  PatternBits match(std::string_view text) const;
  // The same without looking for literals first: for tests and benches.
  PatternBits match_by_expressions(std::string_view text) const;
  bool reaches_expressions(std::string_view text) const;  // match() runs one at least
  const std::vector<std::string>& literals(size_t bit) const { return literals_[bit]; }
  size_t size() const { return expressions_.size(); }
  const std::string& expression(size_t bit) const { return expressions_[bit]; }

 private:
  struct Compiled;
  std::vector<std::string> expressions_;
  std::vector<std::vector<std::string>> literals_;  // that each requires; empty when none are known
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace orch::base
