#pragma once

#include <bitset>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::base {

// A compiled RE2 expression, for UTF-8 text: matching takes linear time whatever the text is. Only
// this class uses RE2; other modules use it through this. Movable, not copyable.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view expression);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  bool matches(std::string_view text) const;  // anywhere in the text
  // Returns the first capturing group, or the whole match if the expression has none; false if
  // there is no match.
  bool capture(std::string_view text, std::string* captured) const;
  const std::string& expression() const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// At most this many patterns are in one set: a manifest has about forty.
inline constexpr size_t kMaxPatterns = 128;
using PatternBits = std::bitset<kMaxPatterns>;

// Searches for many expressions at once; the result is a bit for each of them, in the order of
// add(). The literals that the expressions require are searched for first, in one pass
// (literals.h). A text that contains none of them is matched only against the expressions that
// require none.
class PatternSet {
 public:
  PatternSet();
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  // The expression's bit; an expression that was added before gets the same bit. An error names the
  // expression.
  Result<size_t> add(std::string_view expression);
  Status compile();  // after the last add()
  PatternBits match(std::string_view text) const;
  // The same without searching for literals first: for tests and benchmarks.
  PatternBits match_by_expressions(std::string_view text) const;
  bool reaches_expressions(std::string_view text) const;  // whether match() runs any expression
  const std::vector<std::string>& literals(size_t bit) const { return literals_[bit]; }
  size_t size() const { return expressions_.size(); }
  const std::string& expression(size_t bit) const { return expressions_[bit]; }

 private:
  struct Compiled;
  std::vector<std::string> expressions_;
  // The literals that each expression requires; empty if none are known.
  std::vector<std::vector<std::string>> literals_;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace orch::base
