#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::base {

// When an expression is compiled, which takes up to a millisecond and some 20 KB.
enum class Compiled : uint8_t {
  kNow,           // at once, so that a bad expression is an error
  kWhenSearched,  // at the first search; for expressions that were checked before: a bad one is not
                  // an error, but matches nothing
};

// An RE2 expression, for UTF-8 text: matching takes linear time whatever the text is. Only this
// class uses RE2; other modules use it through this. Movable, not copyable. Several threads may
// search at once.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view expression, Compiled when = Compiled::kNow);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  bool matches(std::string_view text) const;  // anywhere in the text
  // Returns the first capturing group, or the whole match if the expression has none; false without
  // a match.
  bool capture(std::string_view text, std::string* captured) const;
  const std::string& expression() const;

 private:
  struct Expression;
  explicit Pattern(std::unique_ptr<Expression> expression);
  std::unique_ptr<Expression> expression_;
};

// At most this many patterns are in one set: a manifest has about forty.
inline constexpr size_t kMaxPatterns = 128;
using PatternBits = std::bitset<kMaxPatterns>;

// Searches for many expressions at once; the result is a bit for each of them, in the order of
// add(). The literals that the expressions require are searched for first, in one pass
// (literals.h). A text that contains none of them is matched only against the expressions that
// require none. For one thread.
class PatternSet {
 public:
  explicit PatternSet(Compiled when = Compiled::kNow);
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;
  ~PatternSet();

  // The expression's bit; an expression that was added before gets the same bit. An error names the
  // expression.
  Result<size_t> add(std::string_view expression);
  Status compile();  // after the last add(); without effect and errors with kWhenSearched
  // Compiles the expressions that the first search would compile otherwise, some 10 ms for an
  // agent's rules. Call it at a moment when nobody waits for that search.
  void prepare() const;
  PatternBits match(std::string_view text) const;
  // The same without searching for literals first: for tests and benchmarks.
  PatternBits match_by_expressions(std::string_view text) const;
  bool reaches_expressions(std::string_view text) const;  // whether match() runs any expression
  const std::vector<std::string>& literals(size_t bit) const { return literals_[bit]; }
  size_t size() const { return expressions_.size(); }
  const std::string& expression(size_t bit) const { return expressions_[bit]; }

 private:
  struct Search;
  PatternBits match_anew(std::string_view text) const;
  std::vector<std::string> expressions_;
  // The literals that each expression requires; empty if none are known.
  std::vector<std::vector<std::string>> literals_;
  std::unique_ptr<Search> search_;
};

}  // namespace orch::base
